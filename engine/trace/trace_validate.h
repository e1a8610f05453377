#pragma once

#include <span>
#include <string>
#include <vector>

#include "trace/trace.h"
#include "trace/trace_record.h"

namespace millrace::trace {

/// What the checker may assume about the run, in addition to the records.
struct TraceFacts {
  /// If null, checks that need edges or the number of nodes are skipped.
  const TraceTopology* topology = nullptr;
  /// Which events the run was asked to emit.
  TraceFlag flags = TraceFlag::All;
  /// The pool's `enable_inline_execution`.
  bool is_inlining_enabled = true;
  /// One flag per node, or empty. A node marked here is started only on demand: it need not start,
  /// and the node that started it need not be one of its producers.
  std::vector<bool> lazy_nodes{};
  /// A node with a fallback may be given up before it started, although its run ends well.
  bool may_give_up = false;
  /// Events have exactly the time at which they happened, as in virtual time, and no node uses the
  /// result of another as fallback: a node is queued when the last of its producers ends.
  bool has_exact_waits = false;
};

/// One broken statement of the contract, with what broke it.
struct TraceViolation {
  std::string statement;  ///< "T1", "T2", "T3" or "I1"
  std::string message;
};

/// Checks the whole trace of one run, given in order, against the statements T1, T2, T3 and the
/// part of I1 that a trace can show. Gives every violation found; none means the trace is correct.
/// No record of the run may have been dropped.
[[nodiscard]] std::vector<TraceViolation> validate_trace(std::span<const TraceRecord> records,
                                                         const TraceFacts& facts);

}  // namespace millrace::trace
