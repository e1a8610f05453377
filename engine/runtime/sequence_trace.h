#pragma once

#include <cstdint>

#include "base/clock.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/strand_host.h"
#include "runtime/topology/priority_order.h"
#include "trace/trace_writer.h"

namespace millrace::runtime {

/// Writes the trace of a strand that follows a run's sequence. How a node came to its turn is known
/// beforehand there, so that one reading of the time and one record per node tell everything.
/// Threading: the thread that drives `host`. Lifetime: the strand's; borrows both arguments.
class SequenceTrace {
 public:
  static constexpr bool kIsOn = true;

  /// Takes the time at which `first` starts.
  SequenceTrace(StrandHost& host, Run& run, const SequenceStep* first);

  /// Writes the next node of the sequence, whose body has just returned.
  void note(const NodeCall& call, bool ok);

  /// Of the last node noted.
  [[nodiscard]] base::TimePoint end_time() const { return boundary_; }
  [[nodiscard]] trace::Arrival arrival() const { return arrival_; }
  /// Nodes noted so far to which the one before handed over directly.
  [[nodiscard]] std::uint32_t inlined_count() const { return inlined_count_; }

 private:
  void note_failed(const NodeCall& call, std::uint32_t enabler, base::TimePoint end);

  trace::TraceBuffer* buffer_;
  const base::Clock* clock_;
  Run* run_;
  const SequenceStep* step_;
  const std::uint32_t* enabler_;  // of `step_`
  base::TimePoint boundary_;      // end of the last node, start of the next
  std::uint32_t last_ = kNoNode;  // the last node of this strand
  trace::Arrival arrival_;
  std::uint32_t inlined_count_ = 0;
  bool wants_nodes_;
};

}  // namespace millrace::runtime
