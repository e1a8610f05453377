#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "graph/body/component.h"
#include "graph/body/graph_context.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/graph_file.h"
#include "graph/measures.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"
#include "support/figures.h"

namespace millrace::bench {
namespace {

constexpr std::int64_t kPeriodUs = 1000;

constexpr std::string_view kTickingGraph = R"(
schema_version: 1
graph: {name: ticking, kind: internal_test}
lanes:
  tick: {type: fixed_rate, period: 1ms, wall_clock_enabled: true}
components:
  - {id: note, type: bench.note, execution: {lane: tick}}
edges: []
)";

/// Notes when each tick began.
class NoteComponent final : public graph::Component {
 public:
  explicit NoteComponent(std::vector<std::int64_t>& begins_ns) : begins_ns_(begins_ns) {}
  base::Status execute(const graph::Invocation&, graph::GraphContext& context) override {
    begins_ns_.push_back(context.now().count());
    return {};
  }

 private:
  std::vector<std::int64_t>& begins_ns_;
};

/// Which slot each tick stands for. Slots are multiples of the period from the start of the run; a
/// tick stands for the first slot after the one before, or for the first that had not passed when
/// the one before it ended.
std::vector<std::int64_t> slots_of(const std::vector<std::int64_t>& begins_ns) {
  constexpr std::int64_t kPeriod = kPeriodUs * 1000;
  std::vector<std::int64_t> slots;
  std::int64_t slot = 0;
  for (const std::int64_t begin : begins_ns) {
    slots.push_back(slot);
    slot = begin <= (slot + 1) * kPeriod ? slot + 1 : (begin + kPeriod - 1) / kPeriod;
  }
  return slots;
}

/// How late each tick began, in microseconds.
std::vector<double> lateness_us(const std::vector<std::int64_t>& begins_ns,
                                const std::vector<std::int64_t>& slots) {
  std::vector<double> late;
  for (std::size_t tick = 0; tick < begins_ns.size(); ++tick) {
    late.push_back(static_cast<double>(begins_ns[tick]) / 1000 -
                   static_cast<double>(slots[tick] * kPeriodUs));
  }
  return late;
}

void add_histogram(const std::vector<double>& sorted, Figures& figures) {
  constexpr auto kBounds = std::to_array<double>({50, 100, 200, 500, 1000, 5000});
  std::size_t before = 0;
  for (const double bound : kBounds) {
    const auto end = std::ranges::upper_bound(sorted, bound);
    const auto count = static_cast<std::size_t>(end - sorted.begin());
    figures.push_back({base::format("  ticks at most {:g} us late", bound),
                       static_cast<double>(count - before),
                       "ticks"});
    before = count;
  }
  figures.push_back(
      {"  ticks later than that", static_cast<double>(sorted.size() - before), "ticks"});
}

}  // namespace

base::Status measure_ticks(const BenchOptions& options, Figures& figures) {
  const std::chrono::milliseconds duration(options.smoke ? 20 : 60'000);
  std::vector<std::int64_t> begins_ns;
  begins_ns.reserve(static_cast<std::size_t>(duration.count()) + 1);
  graph::ComponentRegistry registry = graph::builtin_registry();
  MR_TRY_STATUS(registry.add({.type = "bench.note", .about = "notes the time"},
                             [&] { return std::make_unique<NoteComponent>(begins_ns); }));
  const graph::CompileResult compiled =
      graph::compile_text(kTickingGraph, graph::TextFormat::kYaml, registry);
  if (!compiled.graph) {
    return base::fail(base::ErrorCode::kInternal, compiled.report.to_text("ticking"));
  }
  graph::RuntimeRunnerOptions run_options;
  run_options.duration = duration;
  const graph::RuntimeRunnerResult result =
      graph::RuntimeRunner::run(*compiled.graph, registry, run_options);
  const auto skipped =
      static_cast<std::size_t>(result.metric("runtime.scheduler.skipped_tick_count"));
  // Every slot up to that of the last tick had a tick or was counted as skipped. A machine that
  // does something else at the end of the run may let slots behind it pass without either.
  const std::vector<std::int64_t> slots = slots_of(begins_ns);
  const std::size_t accounted = begins_ns.size() + skipped;
  const std::size_t passed = slots.empty() ? 0 : static_cast<std::size_t>(slots.back()) + 1;
  if (!result.ok || slots.empty() || accounted < passed) {
    return base::fail(
        base::ErrorCode::kInternal,
        base::format(
            "{} ticks and {} skipped ones for {} slots", begins_ns.size(), skipped, passed));
  }
  std::vector<double> late = lateness_us(begins_ns, slots);
  const std::size_t second = std::min<std::size_t>(1000, late.size());
  std::vector<double> first(late.begin(), late.begin() + static_cast<std::ptrdiff_t>(second));
  std::vector<double> last(late.end() - static_cast<std::ptrdiff_t>(second), late.end());
  figures.push_back({"fixed_rate at 1 kHz: lateness, median", 0, "us"});
  figures.back().value = median(late);  // sorts
  const auto quantile = [&late](double share) {
    return late[static_cast<std::size_t>(share * static_cast<double>(late.size() - 1))];
  };
  figures.push_back({"  99 %", quantile(0.99), "us"});
  figures.push_back({"  99.9 %", quantile(0.999), "us"});
  figures.push_back({"  the latest", late.back(), "us"});
  add_histogram(late, figures);
  figures.push_back({"  skipped ticks", static_cast<double>(skipped), "ticks"});
  figures.push_back({"  drift: last second over first second, medians",
                     std::abs(median(last) - median(first)),
                     "us",
                     kPeriodUs / 10.0});
  return {};
}

}  // namespace millrace::bench
