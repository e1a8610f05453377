#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "base/sync/atomics.h"
#include "graph/body/invocation_record.h"
#include "graph/format/spec.h"
#include "graph/run/body_runner.h"
#include "graph/run/lane_queue.h"
#include "graph/run/run_tables.h"
#include "graph/threads/lane_team.h"

namespace millrace::graph {

/// The work of one stage for one pool lane: takes what is ready, refuses what is too much, and has
/// it executed by a team of threads or, in virtual time, plays `max_threads` workers.
///
/// Every worker takes the next invocation in dispatch order whose component is free. In virtual
/// time bodies are called in the order in which their workers begin them. Threading: the thread of
/// the domain; `run` of the team's threads. Lifetime: borrows.
class PoolBatch final : private TeamWork {
 public:
  PoolBatch(RunTables& tables, DomainRun& domain, BodyRunner& bodies, std::uint32_t lane);

  /// Starts the threads of the lane; gives how many.
  std::size_t start_team(TeamOptions options);
  /// Ends them; no batch may be in progress.
  void stop_team() { team_.reset(); }

  void clear() {
    records_.clear();
    items_.clear();
  }
  /// Adds the invocations of one component: those of the list from `first` on, at least one.
  void add(InvocationList& list, std::size_t first);
  [[nodiscard]] bool is_empty() const { return records_.empty(); }
  [[nodiscard]] std::uint32_t lane() const { return lane_; }
  /// Decides what is admitted. False: the lane overflowed and that fails the run.
  [[nodiscard]] bool decide();
  /// Admits that. Rejected records are taken out of the batch and do not run.
  void admit();
  /// Offers what was admitted to the team, if there is one.
  void offer(Duration begin);
  /// Runs what was admitted from `begin` on, or waits for the team; gives when the last one ends.
  [[nodiscard]] Duration finish(Duration begin);

 private:
  /// When a worker is free: the end of its last invocation. Workers write theirs, so they lie
  /// apart.
  struct alignas(base::kApartBytes) WorkerTime {
    Duration time{};
  };

  [[nodiscard]] bool run(std::uint32_t item, std::uint32_t worker) override;
  void expect(std::uint32_t item) override;
  void play(Duration begin);
  /// Executes again what a run on threads executed.
  void replay();
  /// Whether further invocations of the component are called after this one.
  [[nodiscard]] bool goes_on_after(const InvocationRecord& record) const;
  void reject();
  void note_batch(Duration begin, Duration end);

  RunTables& tables_;
  DomainRun& domain_;
  BodyRunner& bodies_;
  const std::uint32_t lane_;
  LaneQueue queue_;
  std::vector<InvocationRecord*> records_;  // in order of enqueueing, then of dispatch
  std::vector<LaneItem> items_;
  LaneAdmission admission_;
  std::vector<WorkerTime> free_at_;  // of each worker
  std::unique_ptr<LaneTeam> team_;
  std::vector<TeamItem> team_items_;
  std::vector<Duration> group_free_at_;  // of components that are not reentrant
  std::set<std::uint32_t> failed_;       // components
  std::size_t rejected_count_ = 0;
  std::uint64_t workers_used_ = 0;  // a bit for each of the first 64
};

}  // namespace millrace::graph
