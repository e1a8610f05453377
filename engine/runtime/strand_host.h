#pragma once

#include <cstdint>

#include "base/clock.h"
#include "runtime/run.h"
#include "runtime/topology/node.h"
#include "trace/trace_buffer.h"

namespace millrace::runtime {

/// Whatever runs strands: a worker, or the scheduler of an event loop. The steps that both share
/// (run_steps.h) see it as this.
/// Threading: used by the thread that drives it.
class StrandHost {
 public:
  StrandHost(const StrandHost&) = delete;
  StrandHost& operator=(const StrandHost&) = delete;

  /// Puts a node that has all its tokens where it belongs: the next of this strand, a queue, the
  /// loop.
  virtual void make_ready(Run& run, std::uint32_t node) = 0;

  /// Says that the nodes made ready next follow from `node`, whose body ran here or, if
  /// `was_running` is false, never started.
  virtual void begin_handing_over(std::uint32_t node, bool was_running) = 0;

  [[nodiscard]] Run::Credit& credit() { return credit_; }
  [[nodiscard]] trace::TraceBuffer* trace_buffer() { return trace_buffer_; }
  /// Time of the last node boundary here if the strand has not been left since, else a new reading.
  [[nodiscard]] base::TimePoint boundary_time() {
    if (!boundary_known_) set_boundary_time(clock_.now());
    return boundary_time_;
  }
  /// The same as it was last set; of meaning only if `knows_boundary_time`.
  [[nodiscard]] base::TimePoint last_boundary() const { return boundary_time_; }
  [[nodiscard]] bool knows_boundary_time() const { return boundary_known_; }
  void set_boundary_time(base::TimePoint time) {
    boundary_time_ = time;
    boundary_known_ = true;
  }
  /// Start of the body under way, in measured runs.
  [[nodiscard]] base::TimePoint body_start() const { return body_start_; }
  void set_body_start(base::TimePoint time) { body_start_ = time; }
  /// What two readings of the clock cost by themselves.
  [[nodiscard]] base::Duration clock_overhead() const { return clock_overhead_; }
  void forget_boundary_time() { boundary_known_ = false; }
  [[nodiscard]] const base::Clock& clock() const { return clock_; }

 protected:
  StrandHost(const base::Clock& clock, base::Duration clock_overhead)
      : clock_(clock), clock_overhead_(clock_overhead) {}
  ~StrandHost() = default;

  // Held by the strand that is under way; given along and returned as run.h says.
  Run::Credit credit_ = 0;
  trace::TraceBuffer* trace_buffer_ = nullptr;

 private:
  const base::Clock& clock_;
  base::TimePoint boundary_time_{};
  base::TimePoint body_start_{};
  base::Duration clock_overhead_{};
  bool boundary_known_ = false;
};

}  // namespace millrace::runtime
