#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "scheduler/workload.h"

// The interface between the harness and the engines that it measures.
//
// To add an engine: write one file that derives from `Engine` and `PreparedDag`, and add a line to
// engine_entries() in engine_list.cpp. The harness does the rest: sizes, rotation, checks, latency,
// allocations, ratios and bars.
namespace millrace::bench {

/// Asks for `count` runs one after the other: each is submitted and waited for before the next.
struct Repeat {
  std::uint64_t count = 1;
  /// Where to put the time of each run; null in throughput samples, where a clock read per run
  /// would cost more than a small DAG.
  std::vector<base::Duration>* latency = nullptr;
};

/// Calls `once` as often as asked. Engines enter their scheduler once around this call, so that
/// entering is not paid per run.
template <class Once>
void repeat_runs(const Repeat& repeat, Once&& once) {
  if (repeat.latency == nullptr) {
    for (std::uint64_t run = 0; run < repeat.count; ++run) once();
    return;
  }
  for (std::uint64_t run = 0; run < repeat.count; ++run) {
    const base::TimePoint start = base::steady_clock().now();
    once();
    repeat.latency->push_back(base::steady_clock().now() - start);
  }
}

/// Counters of an engine since it was prepared; empty where it cannot count.
struct Tally {
  std::optional<double> wakes;    ///< threads woken
  std::optional<double> inlined;  ///< nodes run without going through a queue
  std::optional<double> queued;   ///< nodes that went through a queue
};

/// A DAG built once by an engine and run many times.
/// Threading: called from one thread, the submitter.
class PreparedDag {
 public:
  virtual ~PreparedDag() = default;

  /// Runs slot 0, submit and wait.
  virtual void run(const Repeat& repeat) = 0;

  /// Runs `dag_count` DAGs as a server does: all slots are in flight at first, and each completion
  /// submits its slot's next DAG on the thread where it happens. Returns when all have ended. The
  /// shape has one source and one sink.
  virtual void run_in_flight(std::uint64_t dag_count) = 0;

  [[nodiscard]] virtual Tally tally() const { return {}; }

  /// Runs slot 0 `count` times with tracing and gives the mean time that a queued node waited. Not
  /// timed.
  [[nodiscard]] virtual std::optional<double> trace_queue_delay_ns(std::uint64_t count) {
    static_cast<void>(count);
    return std::nullopt;
  }
};

/// A scheduler with a fixed number of workers, including the waiting caller.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Builds the workload's DAG once per slot. Lifetime: the result borrows both.
  [[nodiscard]] virtual std::unique_ptr<PreparedDag> prepare(Workload& workload) = 0;
  /// Says whether the thread that calls run() is one of the workers, or only waits for them.
  [[nodiscard]] virtual bool caller_works() const { return true; }
};

struct EngineEntry {
  std::string_view name;
  std::unique_ptr<Engine> (*make)(unsigned workers);
};

/// Lists every engine of this build, in the order of the report's columns.
[[nodiscard]] std::span<const EngineEntry> engine_entries();

[[nodiscard]] std::unique_ptr<Engine> make_serial_engine(unsigned workers);
[[nodiscard]] std::unique_ptr<Engine> make_tbb_group_engine(unsigned workers);
[[nodiscard]] std::unique_ptr<Engine> make_tbb_wait_engine(unsigned workers);
[[nodiscard]] std::unique_ptr<Engine> make_tbb_flow_engine(unsigned workers);
[[nodiscard]] std::unique_ptr<Engine> make_millrace_engine(unsigned workers);
[[nodiscard]] std::unique_ptr<Engine> make_millrace_inside_engine(unsigned workers);
[[nodiscard]] std::unique_ptr<Engine> make_millrace_noinline_engine(unsigned workers);
[[nodiscard]] std::unique_ptr<Engine> make_millrace_nochain_engine(unsigned workers);
[[nodiscard]] std::unique_ptr<Engine> make_millrace_deadline_engine(unsigned workers);
[[nodiscard]] std::unique_ptr<Engine> make_millrace_wait_engine(unsigned workers);

}  // namespace millrace::bench
