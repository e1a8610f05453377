#include "scheduler/runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
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

bool contains(const std::vector<std::string>& list, std::string_view value) {
  return std::ranges::find(list, value) != list.end();
}

// The engines that a case is measured on unless the user names others.
bool is_measured_on(const Case& entry, std::string_view engine, bool full) {
  if (is_narrow(entry)) return engine == "millrace" || engine == "tbb-tg" || engine == "tbb-fg";
  if (full && is_for_all_engines(entry)) return true;
  if (engine == "millrace-inside" || engine == "millrace-noinline" || engine == "millrace-nochain")
    return false;
  const bool is_judged_everywhere = engine == "serial" || engine == "millrace" ||
                                    engine == "millrace-deadline" || engine == "tbb-tg";
  return full || is_judged_everywhere || is_for_all_engines(entry);
}

// On one worker a narrow fan is only a loop, and there is nobody to wait for.
bool is_measured(const Case& entry, std::string_view engine, unsigned workers, bool full) {
  if (workers > 1) return true;
  if (is_narrow(entry)) return false;
  return full || (engine != "tbb-wait" && engine != "millrace-wait");
}

Effort choose_effort(const Options& options, const Case& entry) {
  Effort effort;
  effort.repetitions = options.repetitions;
  if (is_narrow(entry)) effort.repetitions = std::max(1U, options.repetitions / 2);
  if (!options.full) {
    effort.sample_time = std::chrono::milliseconds(2);
    effort.warm_up_time = std::chrono::milliseconds(4);
    effort.with_latency = false;
  }
  if (options.smoke) {
    effort.repetitions = 2;
    effort.sample_time = std::chrono::microseconds(50);
    effort.warm_up_time = std::chrono::microseconds(50);
    effort.warm_up_runs = 1;
    effort.with_latency = true;
    effort.rest = std::chrono::microseconds(0);
  }
  return effort;
}

/// The engines of a process, each made once per number of workers.
class EngineSet {
 public:
  EngineSet(const Options& options, Placement& placement)
      : options_(options), placement_(placement) {}

  /// Gives the engines of a case, all those with one worker before those with more.
  std::vector<EngineUnderTest> find(const Case& entry) {
    std::vector<EngineUnderTest> found;
    for (const unsigned workers : options_.workers) {
      for (const EngineEntry& chosen : choose_engines(options_, entry)) {
        if (!is_measured(entry, chosen.name, workers, options_.full || options_.smoke)) continue;
        std::unique_ptr<Engine>& engine = engines_[{workers, chosen.name}];
        if (engine == nullptr) engine = placement_.make_engine(chosen, workers);
        found.push_back({.name = chosen.name, .engine = engine.get(), .workers = workers});
      }
    }
    return found;
  }

 private:
  const Options& options_;
  Placement& placement_;
  std::map<std::pair<unsigned, std::string_view>, std::unique_ptr<Engine>> engines_;
};

}  // namespace

std::vector<Case> choose_cases(const Options& options) {
  std::vector<Case> cases = make_suite(options.smoke ? kSmokeScale : 1);
  std::erase_if(cases, [&](const Case& entry) {
    const bool shape_wanted =
        options.shapes.empty() || std::ranges::any_of(options.shapes, [&](const std::string& part) {
          return entry.name.find(part) != std::string::npos;
        });
    const bool in_form = options.full || options.smoke || is_in_short_form(entry);
    const bool body_wanted =
        options.bodies.empty() ? in_form : contains(options.bodies, entry.body);
    return !shape_wanted || !body_wanted;
  });
  return cases;
}

std::vector<EngineEntry> choose_engines(const Options& options, const Case& entry) {
  std::vector<EngineEntry> chosen;
  for (const EngineEntry& candidate : engine_entries()) {
    const bool named = contains(options.engines, candidate.name);
    const bool by_default = options.engines.empty() &&
                            (options.smoke || is_measured_on(entry, candidate.name, options.full));
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
  Progress progress{.done = 0, .total = cases.size()};
  EngineSet engines(options, placement);
  for (const Case& entry : cases) {
    listener.on_progress(progress);
    ++progress.done;
    const Bench bench{
        .placement = placement, .steps_per_ns = steps_per_ns, .engines = engines.find(entry)};
    if (bench.engines.empty()) continue;
    const Effort effort = choose_effort(options, entry);
    for (const Measurement& measurement : measure_case(entry, bench, effort))
      listener.on_measurement(measurement);
  }
  listener.on_progress(progress);
  facts.foreign_share = load.foreign_share();
  listener.on_end(facts);
}

}  // namespace millrace::bench
