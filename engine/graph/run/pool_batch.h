#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "graph/body/invocation_record.h"
#include "graph/format/spec.h"
#include "graph/run/body_runner.h"
#include "graph/run/lane_queue.h"
#include "graph/run/run_tables.h"

namespace millrace::graph {

/// The work of one stage for one pool lane: takes what is ready, refuses what is too much, and
/// plays `max_threads` workers in virtual time.
///
/// Every worker takes the next invocation in dispatch order whose component is free. Bodies are
/// called in the order in which their workers begin them.
/// Threading: the thread of the domain. Lifetime: borrows.
class PoolBatch {
 public:
  PoolBatch(RunTables& tables, DomainRun& domain, BodyRunner& bodies, std::uint32_t lane);

  void clear() { records_.clear(); }
  void add(InvocationRecord& record) { records_.push_back(&record); }
  [[nodiscard]] bool is_empty() const { return records_.empty(); }
  [[nodiscard]] std::uint32_t lane() const { return lane_; }
  /// Decides what is admitted. Rejected records are taken out of the batch and do not run. False:
  /// the lane overflowed and that fails the run.
  [[nodiscard]] bool admit();
  /// Runs what was admitted from `begin` on; gives when the last one ends.
  [[nodiscard]] Duration run(Duration begin);

 private:
  void reject(const LaneAdmission& admission);
  void note_batch(Duration begin, Duration end);

  RunTables& tables_;
  DomainRun& domain_;
  BodyRunner& bodies_;
  const std::uint32_t lane_;
  LaneQueue queue_;
  std::vector<InvocationRecord*> records_;  // in order of enqueueing, then of dispatch
  std::vector<LaneItem> items_;
  std::vector<Duration> free_at_;   // of each worker
  std::set<std::uint32_t> failed_;  // components
  std::size_t rejected_count_ = 0;
  std::uint64_t workers_used_ = 0;  // a bit for each of the first 64
};

}  // namespace millrace::graph
