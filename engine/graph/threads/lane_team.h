#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace millrace::graph {

/// One thing to execute. Items of one group that is exclusive run one after the other, in order.
struct TeamItem {
  std::uint32_t group = 0;
  bool is_exclusive = false;
};

/// What the workers of a team do.
class TeamWork {
 public:
  virtual ~TeamWork() = default;
  /// Executes an item on a worker. False: no further item of its group is started.
  [[nodiscard]] virtual bool run(std::uint32_t item, std::uint32_t worker) = 0;
  /// The calling worker probably runs this item after the one that it runs next.
  virtual void expect(std::uint32_t item) { static_cast<void>(item); }
};

struct TeamOptions {
  std::size_t width = 1;  ///< how many items run at once at most
  /// The thread that calls `finish` is worker 0. Not for a team of one: its worker would have
  /// nobody to overlap with.
  bool caller_helps = false;
  /// Whether items may be given up. Without that, a batch in which no item waits for another is
  /// shared out by one counter instead of under a lock.
  bool may_abandon = true;
  /// Called by each new thread before it works.
  std::function<void(std::uint32_t worker)> on_thread_start = {};
};

/// The threads of a pool lane. They live as long as the team and sleep while there is no batch.
///
/// A batch is known as a whole before it begins: workers take its items in the given order, and an
/// item of an exclusive group only when the one before it has ended. So what runs depends on the
/// batch alone, and only when it runs depends on the threads.
///
/// There are two ways to share out a batch. If no item waits for another and none can be given up,
/// workers take numbers from a counter, `next`, several at once if items were that short in the
/// last batch: each addition moves a cache line between processors. What a worker has taken and not
/// started may be started by any other that finds the counter used up, so nobody waits for a worker
/// that takes long. Else they take items from a heap under the mutex. Invariant of the first way:
/// `next` is set only while nobody is `active`, that is, between two batches; so a worker never
/// takes a number of another batch.
///
/// A worker that is stuck can be given up (`abandon`): the batch goes on without its item, and a
/// new thread takes its place. The old one ends by itself when the call returns; nobody waits for
/// it.
///
/// Threading: one thread calls `begin` and `finish`; any thread `abandon`.
class LaneTeam {
 public:
  explicit LaneTeam(TeamOptions options);
  /// No batch may be in progress.
  ~LaneTeam();
  LaneTeam(const LaneTeam&) = delete;
  LaneTeam& operator=(const LaneTeam&) = delete;

  /// Offers a batch to the workers. `items` and `work` must live until `finish` returns, and what
  /// `run` uses of an item that was given up as long as its call.
  void begin(std::span<const TeamItem> items, TeamWork& work);
  /// Helps if asked for, and waits until every item has ended, was skipped or was given up.
  void finish();
  /// Goes on without an item that is running on a thread of the team; `goes_on` says whether
  /// further items of its group are started. Does nothing if it is not running.
  void abandon(std::uint32_t item, bool goes_on);
  /// Threads that the team has started and not given up.
  [[nodiscard]] std::size_t thread_count() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the threads, which may outlive the team
};

}  // namespace millrace::graph
