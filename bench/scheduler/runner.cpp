#include "scheduler/runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/engine.h"
#include "scheduler/machine_load.h"
#include "scheduler/measure.h"
#include "scheduler/options.h"
#include "scheduler/placement.h"
#include "scheduler/result.h"
#include "scheduler/spin_speed.h"
#include "scheduler/suite.h"

namespace millrace::bench {
namespace {

constexpr double kSmokeScale = 0.02;

bool is_measured_on(const Case& entry, std::string_view engine) {
  if (is_narrow(entry)) return engine == "millrace" || engine == "tbb-tg" || engine == "tbb-fg";
  if (is_for_all_engines(entry)) return true;
  return engine != "millrace-inside" && engine != "millrace-noinline" &&
         engine != "millrace-nochain";
}

bool contains(const std::vector<std::string>& list, std::string_view value) {
  return std::ranges::find(list, value) != list.end();
}

// A narrow fan on one worker is only a loop, so it is not measured.
bool is_measured(const Case& entry, unsigned workers) { return workers > 1 || !is_narrow(entry); }

Effort choose_effort(const Options& options, const Case& entry) {
  Effort effort;
  effort.repetitions = options.repetitions;
  if (is_narrow(entry)) effort.repetitions = std::max(1U, options.repetitions / 2);
  if (options.smoke) {
    effort.repetitions = 2;
    effort.sample_time = std::chrono::microseconds(50);
    effort.warm_up_time = std::chrono::microseconds(50);
    effort.rest = std::chrono::microseconds(0);
  }
  return effort;
}

using EngineSet = std::map<std::string_view, std::unique_ptr<Engine>>;

EngineSet make_engines(const std::vector<Case>& cases,
                       const Options& options,
                       unsigned workers,
                       Placement& placement) {
  EngineSet engines;
  for (const Case& entry : cases) {
    if (!is_measured(entry, workers)) continue;
    for (const EngineEntry& candidate : choose_engines(options, entry)) {
      if (engines.contains(candidate.name)) continue;
      engines.emplace(candidate.name, placement.make_engine(candidate, workers));
    }
  }
  return engines;
}

}  // namespace

std::vector<Case> choose_cases(const Options& options) {
  std::vector<Case> cases = make_suite(options.smoke ? kSmokeScale : 1);
  std::erase_if(cases, [&](const Case& entry) {
    const bool shape_wanted =
        options.shapes.empty() || std::ranges::any_of(options.shapes, [&](const std::string& part) {
          return entry.name.find(part) != std::string::npos;
        });
    const bool body_wanted = options.bodies.empty() || contains(options.bodies, entry.body);
    return !shape_wanted || !body_wanted;
  });
  return cases;
}

std::vector<EngineEntry> choose_engines(const Options& options, const Case& entry) {
  std::vector<EngineEntry> chosen;
  for (const EngineEntry& candidate : engine_entries()) {
    const bool named = contains(options.engines, candidate.name);
    const bool by_default =
        options.engines.empty() && (options.smoke || is_measured_on(entry, candidate.name));
    if (named || by_default) chosen.push_back(candidate);
  }
  return chosen;
}

void run_suite(const Options& options, const Listener& listener) {
  Placement placement(options.pin);
  placement.place_this_thread(0);
  const std::vector<Case> cases = choose_cases(options);
  const double steps_per_ns = calibrate_steps_per_ns();
  const auto microsecond = static_cast<std::uint64_t>(std::llround(1e3 * steps_per_ns));
  const auto all = static_cast<unsigned>(placement.processor_count());
  MachineFacts facts{.spin_alone_ns = sample_spin_ns(microsecond, 3'000, 1, placement),
                     .spin_crowded_ns = sample_spin_ns(microsecond, 3'000, all, placement),
                     .foreign_share = 0};
  const MachineLoad load;
  Progress progress{.done = 0, .total = cases.size() * options.workers.size()};
  for (const unsigned workers : options.workers) {
    const EngineSet engines = make_engines(cases, options, workers, placement);
    for (const Case& entry : cases) {
      listener.on_progress(progress);
      ++progress.done;
      if (!is_measured(entry, workers)) continue;
      Bench bench{
          .placement = placement, .steps_per_ns = steps_per_ns, .workers = workers, .engines = {}};
      for (const EngineEntry& chosen : choose_engines(options, entry)) {
        bench.engines.push_back({chosen.name, engines.at(chosen.name).get()});
      }
      if (bench.engines.empty()) continue;
      const Effort effort = choose_effort(options, entry);
      for (const Measurement& measurement : measure_case(entry, bench, effort)) {
        listener.on_measurement(measurement);
      }
    }
  }
  listener.on_progress(progress);
  facts.foreign_share = load.foreign_share();
  listener.on_end(facts);
}

}  // namespace millrace::bench
