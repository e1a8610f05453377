#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/result.h"
#include "scheduler/engine.h"
#include "scheduler/options.h"
#include "scheduler/shape.h"
#include "scheduler/workload.h"

// Measures the cost of a process that has nothing to do: each engine starts its threads, runs
// something, and then idles.
namespace millrace::bench {
namespace {

constexpr double kShareMax = 0.001;

std::chrono::microseconds to_duration(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

std::chrono::microseconds processor_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return to_duration(usage.ru_utime) + to_duration(usage.ru_stime);
}

// Gives the share of one processor that the process uses while the engine idles.
double measure_idle_share(const EngineEntry& entry, unsigned workers, base::Duration rest) {
  const std::unique_ptr<Engine> engine = entry.make(workers);
  const Shape shape = make_fan(64);
  Workload workload(shape, 1'000, 1);
  workload.begin_timed();
  const std::unique_ptr<PreparedDag> dag = engine->prepare(workload);
  dag->run({.count = 100});
  const base::TimePoint start = base::steady_clock().now();
  const std::chrono::microseconds used_before = processor_time();
  std::this_thread::sleep_for(rest);
  const std::chrono::duration<double> used = processor_time() - used_before;
  const std::chrono::duration<double> passed = base::steady_clock().now() - start;
  return used / passed;
}

int run(const std::vector<std::string_view>& arguments) {
  const base::Result<Options> options = parse_options(arguments);
  if (!options) {
    fmt::print(stderr,
               "{}\nbench_idle [--engine A,B] [--workers N] [--smoke]\n",
               options.error().to_string());
    return EXIT_FAILURE;
  }
  const base::Duration rest =
      options->smoke ? base::Duration(std::chrono::milliseconds(20)) : std::chrono::seconds(5);
  const unsigned workers = options->workers.back();
  for (const EngineEntry& entry : engine_entries()) {
    bool wanted = options->engines.empty();
    for (const std::string& name : options->engines) wanted = wanted || name == entry.name;
    if (!wanted) continue;
    const double share = measure_idle_share(entry, workers, rest);
    fmt::print("{}  {:<20} {:.4f} % of one processor, idle, {} workers (bar {:g} %)\n",
               share < kShareMax ? "PASS" : "FAIL",
               entry.name,
               100 * share,
               workers,
               100 * kShareMax);
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace millrace::bench

int main(int argc, char** argv) {
  return millrace::bench::run(std::vector<std::string_view>(argv + 1, argv + argc));
}
