#pragma once

#include <cstdint>

#include "graph/body/message.h"
#include "graph/run/run_tables.h"
#include "graph/watch/graph_event.h"

namespace millrace::graph {

/// What the pace knows about an epoch that has ended.
struct EpochEnd {
  Duration slot{};      ///< that its tick stood for
  Duration last_end{};  ///< of the epoch before
  std::uint64_t skipped = 0;
  bool is_on_grid = false;
};

/// Writes what lanes count per epoch, and the trace events around it.
/// Threading: the thread of the domain. Lifetime: borrows.
class EpochReport {
 public:
  /// `cadence_lane`: the lane that sets the pace of the domain, or kNoIndex.
  EpochReport(RunTables& tables, DomainRun& run, std::uint32_t cadence_lane)
      : tables_(tables), run_(run), cadence_lane_(cadence_lane) {}

  void begin() { trace_epoch(GraphEventName::kSchedulerIterationBegin); }
  void end(const EpochEnd& end);

 private:
  void end_tick(std::uint32_t lane, const EpochEnd& end);
  void trace_epoch(GraphEventName name);

  RunTables& tables_;
  DomainRun& run_;
  const std::uint32_t cadence_lane_;
};

}  // namespace millrace::graph
