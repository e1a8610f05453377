#include "scheduler/suite.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/shape.h"

namespace millrace::bench {
namespace {

constexpr std::uint64_t kSeed = 20'240'601;
constexpr double kMicrosecond = 1e3;
constexpr double kMillisecond = 1e6;

Case make_case(Shape shape, std::string body, double unit_ns) {
  Case entry;
  entry.name = shape.name;
  entry.shape = std::move(shape);
  entry.body = std::move(body);
  entry.unit_ns = unit_ns;
  return entry;
}

void add_core(std::vector<Case>& suite, std::string_view body, double unit_ns) {
  for (Shape& shape : core_shapes()) {
    suite.push_back(make_case(std::move(shape), std::string(body), unit_ns));
  }
  Case in_flight = make_case(make_ranking(), std::string(body), unit_ns);
  in_flight.name += "_x" + std::to_string(kInFlightSlots);
  in_flight.mode = Mode::kInFlight;
  in_flight.slot_count = kInFlightSlots;
  suite.push_back(std::move(in_flight));
}

void add_narrow(std::vector<Case>& suite, double unit_ns, NodeIndex step) {
  for (const bool cold : {false, true}) {
    for (NodeIndex width = kNarrowWidthMin; width <= kNarrowWidthMax; width += step) {
      Case entry = make_case(make_narrow_fan(width), "1ms", unit_ns);
      entry.name = narrow_name(width, cold);
      entry.mode = cold ? Mode::kCold : Mode::kSubmitAndWait;
      suite.push_back(std::move(entry));
    }
  }
}

}  // namespace

std::vector<Shape> core_shapes() {
  return {make_chain(64),
          make_chain(512),
          make_fan(64),
          make_fan(512),
          make_binary_tree(255),
          make_diamond_ladder(64),
          make_wavefront(16),
          make_wavefront(32),
          make_random_layered(50, kSeed),
          make_random_layered(200, kSeed),
          make_random_layered(500, kSeed),
          make_ranking(),
          make_uneven_ranking()};
}

std::span<const BodyLength> core_bodies() {
  static constexpr auto kBodies = std::to_array<BodyLength>({{"empty", 0},
                                                             {"50ns", 50},
                                                             {"100ns", 100},
                                                             {"200ns", 200},
                                                             {"500ns", 500},
                                                             {"1us", kMicrosecond},
                                                             {"5us", 5 * kMicrosecond},
                                                             {"20us", 20 * kMicrosecond}});
  return kBodies;
}

std::vector<std::string_view> body_names() {
  std::vector<std::string_view> names;
  for (const BodyLength& body : core_bodies()) names.push_back(body.name);
  names.insert(names.end(), {"mixed", "1ms"});
  return names;
}

bool is_for_all_engines(const Case& entry) { return entry.body == "empty" || entry.body == "1us"; }

bool is_in_short_form(const Case& entry) {
  constexpr std::size_t kLongBodyNodesMax = 256;
  if (is_narrow(entry)) return false;
  if (entry.mode == Mode::kInFlight) return is_for_all_engines(entry);
  return entry.unit_ns < 5 * kMicrosecond || entry.shape.node_count() <= kLongBodyNodesMax;
}

std::vector<Case> make_suite(double unit_scale) {
  const bool whole = unit_scale >= 1;
  std::vector<Case> suite;
  for (const BodyLength& body : core_bodies()) {
    // Scaled bodies are all short: three of them try what the others would.
    if (whole || body.name == "empty" || body.name == "200ns" || body.name == "1us")
      add_core(suite, body.name, body.ns * unit_scale);
  }
  suite.push_back(make_case(make_mixed_latency(200, kSeed), "mixed", kMicrosecond * unit_scale));
  add_narrow(suite, kMillisecond * unit_scale, whole ? 1 : 31);
  return suite;
}

bool is_narrow(const Case& entry) { return entry.body == "1ms"; }

std::string narrow_name(NodeIndex width, bool cold) {
  return make_narrow_fan(width).name + (cold ? "_cold" : "");
}

}  // namespace millrace::bench
