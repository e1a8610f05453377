#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/body/body_services.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/run/body_runner.h"
#include "graph/run/commit.h"
#include "graph/run/epoch_report.h"
#include "graph/run/lifecycle.h"
#include "graph/run/loop_runner.h"
#include "graph/run/pace.h"
#include "graph/run/pool_batch.h"
#include "graph/run/run_tables.h"
#include "graph/run/trigger.h"

namespace millrace::graph {

/// States and steps of a domain:
///
///             begin               (stages run)              leave
///     kIdle ─────────► kBusy until end_time() ────────────────────► kIdle
///                        │   ▲ resume
///        a full blocking │   │                 a failure at any time: kFailed
///        edge            ▼   │
///                      kBlocked
enum class DomainState : std::uint8_t { kIdle, kBusy, kBlocked, kFailed };

/// Walks the epochs of one domain: boundary, stages, end.
/// Threading: one thread at a time drives it. Lifetime: borrows.
class Domain {
 public:
  Domain(RunTables& tables, BodyServices& services, Lifecycle& lifecycle, std::uint32_t index);
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;

  [[nodiscard]] DomainState state() const { return state_; }
  [[nodiscard]] const DomainRun& run() const { return run_; }
  /// Begins an epoch at that time and runs its stages.
  void begin(Duration at);
  /// Goes on at that time where a full edge stopped it.
  void resume(Duration at);
  /// Of the epoch that runs; of use if busy.
  [[nodiscard]] Duration end_time() const { return run_.now; }
  /// Ends the epoch: what waits to leave leaves.
  void leave();
  /// When a blocked domain can go on; nothing as long as there is no room.
  [[nodiscard]] std::optional<Duration> unblock_time() const;

  /// When the next epoch begins, as seen at `now`; nothing if only input or `step` can start one.
  [[nodiscard]] std::optional<Duration> next_start(Duration now) const;
  /// Lets a manual domain begin that many epochs more.
  void allow_steps(std::uint64_t count) { steps_allowed_ += count; }
  /// Whether nothing can happen here without input from outside.
  [[nodiscard]] bool is_idle() const;
  [[nodiscard]] PaceType pace() const { return pace_.type(); }
  /// Starts the threads of its pools, and one for invocations of its other lanes that may be given
  /// up. `on_thread_start` is called by each with its lane. Gives how many there are.
  [[nodiscard]] std::size_t start_threads(
      const std::function<void(std::uint32_t lane, std::uint32_t worker)>& on_thread_start);
  /// Ends them; no epoch may be in progress.
  void stop_threads();
  /// What its lanes are doing, for people.
  [[nodiscard]] std::string describe_lane() const;

 private:
  struct Place {
    std::uint32_t component = kNoIndex;  // of a loop: the first member
    std::uint32_t stage = 0;
    std::int32_t batch = -1;  // index into batches_, if on a pool
    bool is_direct = false;   // what it publishes may be staged in channels
    bool is_alone = false;    // the only one of its stage, and direct or free-running
    bool is_free = false;     // it runs once in each epoch, and its record may be left out
    std::unique_ptr<LoopRunner> loop = nullptr;
  };
  struct Stage {
    std::uint32_t first = 0;
    std::uint32_t last = 0;  // after the last place
    bool has_pool = false;
  };
  /// What is committed together: invocations of one component, or all results of a loop.
  struct CommitItem {
    std::uint32_t place = 0;
    std::uint32_t order = 0;
    std::size_t first = 0;  // into records_
    std::size_t count = 0;
    LoopRunner* loop = nullptr;
  };

  /// Places whose invocations staged what they published in channels.
  struct StagedItem {
    std::uint32_t place = 0;
    bool has_last_published = false;
  };

  void add_places();
  void add_sites();
  [[nodiscard]] bool can_leave_out_records(const Place& place, const BodySite& site) const;
  [[nodiscard]] bool cross_boundary();
  void mark_what_time_makes_ready();
  [[nodiscard]] bool bring_back_what_is_down();
  void walk();
  [[nodiscard]] bool run_stage(const Stage& stage, std::uint32_t first_marked);
  static void sort_by_place(std::vector<CommitItem>& items);
  [[nodiscard]] bool collect_batches(const Stage& stage);
  [[nodiscard]] bool run_here(const Stage& stage, std::uint32_t first_marked);
  [[nodiscard]] bool run_component(std::uint32_t place);
  /// Whether a stage of one component was run: not at all, all of it, with records that are to be
  /// committed, or with a failure of the run.
  enum class Ran : std::uint8_t { kNot, kAll, kSome, kFailed };
  [[nodiscard]] Ran run_alone(std::uint32_t place);
  /// Runs what is marked from `place` on, as long as it is alone in its stage and nothing of it is
  /// to be committed. `place` is then the next one, and what is said is about that.
  [[nodiscard]] Ran run_lone_places(std::uint32_t& place);
  [[nodiscard]] bool finish_component(std::uint32_t place,
                                      std::size_t count,
                                      const DirectRun& done);
  void hand_over();
  void begin_stage();
  [[nodiscard]] bool run_records(std::uint32_t place, std::size_t first, std::size_t next);
  void end_staging(bool is_good);
  [[nodiscard]] bool run_loop(std::uint32_t place);
  [[nodiscard]] bool finish_batches(Duration begin);
  [[nodiscard]] bool settle_pooled(const CommitItem& item);
  void collect(std::uint32_t component);
  void look(ComponentRun& run, std::uint32_t component);
  void report_notes(std::uint32_t component);
  void fail_stage();
  [[nodiscard]] bool commit_stage();
  [[nodiscard]] CommitOutcome commit_item(const CommitItem& item);
  [[nodiscard]] CommitOutcome commit_record(InvocationRecord& record);
  [[nodiscard]] CommitOutcome commit_loop(LoopRunner& loop);
  void end_epoch();
  [[nodiscard]] bool can_run(std::uint32_t component) const;
  [[nodiscard]] std::optional<Duration> work_time(Duration now) const;

  RunTables& tables_;
  DomainRun& run_;
  BodyRunner bodies_;
  Committer committer_;
  Pace pace_;
  EpochReport report_;
  std::vector<Place> places_;
  std::vector<BodySite> sites_;  // of each place; of a loop: its first member
  std::vector<Stage> stages_;
  std::vector<std::unique_ptr<PoolBatch>> batches_;
  std::vector<std::uint32_t> manual_;  // components
  std::vector<std::uint32_t> timed_;   // components that time alone can make ready
  std::vector<std::uint32_t> down_;    // components that wait for their backoff

  DomainState state_ = DomainState::kIdle;
  Duration last_end_{};
  Duration blocked_since_{};
  std::uint64_t steps_allowed_ = 0;
  static constexpr std::size_t kNoStage = SIZE_MAX;
  std::size_t stage_index_ = kNoStage;  // of the stage whose invocations are being committed
  std::uint32_t next_place_ = 0;
  InvocationList records_;
  /// Invocations of a stage stage in channels until one has to wait for the commit: arrivals are
  /// counted up in the order of regions.
  bool is_direct_ = false;
  std::vector<StagedItem> staged_;
  InvocationRecord direct_record_;  // fresh between two uses
  TriggerNotes notes_;
  std::vector<CommitItem> commits_;
  std::size_t next_commit_ = 0;
  std::size_t next_record_ = 0;  // of the item that is committed next
  CommitProgress progress_;
  std::vector<CommitItem> failures_;  // invocations that fail the run
};

}  // namespace millrace::graph
