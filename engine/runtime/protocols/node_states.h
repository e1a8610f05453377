#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include "base/sync/atomics.h"

// Who decides a node: its body, or a clock or an answer that came first. Each node of a run that
// can be answered before its bodies have returned has one state.
//
// The life of a node:
//
// clang-format off
//   waiting ──begin──► running ──end──► ending ──settle──► done        its result counts
//      │                  │
//      └─────abandon──────┴───────────► abandoned                      its result is dropped (C2, C3)
// clang-format on
//
// - begin: a thread is about to call the body. Refused once the run is to stop (C1).
// - end: the body has returned and its thread claims the node. In `ending` it publishes the result
//   (commit) and writes the end of the node's trace.
// - settle: the result is published.
// - abandon: a timeout, the deadline, a cancellation or a failure elsewhere was faster.
//
// Two ways lead through these steps, and each node always takes the same one:
//
// - careful: a node with a clock of its own (timeout, fallback). `begin` and `end` are
//   compare-exchanges, because its clock may take it at any time.
// - quick: every other node. Only an answer can take it, and there is one answer per run, so the
//   answer pays for the order: `begin` and `end` are plain stores.
//
// Invariant: once `abandon` has been called for every node after the answer was decided, no body of
// the run publishes anything. Why it holds on the quick way: `end` stores `ending`, passes a light
// fence and reads whether the run is open. The answer is decided first, then a heavy fence, then
// the states are read. So either the body sees that the run is closed and drops its result, or the
// answer sees `ending` and waits until the result is published, which takes as long as a commit.
// tests/model/node_states_model_test.cpp tries every interleaving.

namespace millrace::runtime {

enum class NodeState : std::uint8_t {
  kWaiting,
  kStarting,  ///< in traced runs, between waiting and running: its NodeStart is being written
  kRunning,
  kEnding,
  kDone,
  kAbandoned,
};

/// The state of one node.
/// Threading: any thread. `begin`, `end` and `settle` belong to the thread that runs the node.
template <class Atomics = base::StdAtomics>
class NodeCell {
 public:
  [[nodiscard]] NodeState get() const { return state_.load(std::memory_order_acquire); }

  /// The quick way. False: `is_stopped` says that the run is to stop, and the body must not run.
  template <class Stopped>
  [[nodiscard]] bool begin_quick(Stopped is_stopped) {
    state_.store(NodeState::kRunning, std::memory_order_relaxed);
    Atomics::light_fence();
    if (!is_stopped()) [[likely]]
      return true;
    drop();
    return false;
  }
  /// The end in three steps, so that one light fence serves its thread for other things too:
  /// `mark_ending`, the fence, and then either the run is open and the result counts, or `drop`.
  void mark_ending() { state_.store(NodeState::kEnding, std::memory_order_relaxed); }
  void drop() { state_.store(NodeState::kAbandoned, std::memory_order_relaxed); }
  /// All three. False: the answer was faster, and the result must be dropped.
  template <class Open>
  [[nodiscard]] bool end_quick(Open is_open) {
    mark_ending();
    Atomics::light_fence();
    if (is_open()) [[likely]]
      return true;
    drop();
    return false;
  }

  /// The careful way. With `as_starting` the caller must call `set_running` soon.
  template <class Stopped>
  [[nodiscard]] bool begin_careful(bool as_starting, Stopped is_stopped) {
    const NodeState claimed = as_starting ? NodeState::kStarting : NodeState::kRunning;
    if (!try_move(NodeState::kWaiting, claimed)) return false;
    Atomics::light_fence();
    if (!is_stopped()) return true;
    static_cast<void>(try_move(claimed, NodeState::kAbandoned));
    return false;
  }
  void set_running() { state_.store(NodeState::kRunning, std::memory_order_release); }
  /// False: a clock or the answer was faster.
  [[nodiscard]] bool end_careful() { return try_move(NodeState::kRunning, NodeState::kEnding); }

  /// Ends `ending`: publishes what was done in it.
  void settle() { state_.store(NodeState::kDone, std::memory_order_release); }

  /// Takes the node away from its body. False: the body was faster, or somebody else took it; if it
  /// is just publishing its result, this waits for that. `was_running` tells whether a body is
  /// under way that will return late. Of quick nodes only after the answer is decided and a heavy
  /// fence.
  [[nodiscard]] bool try_abandon(bool& was_running) {
    for (;;) {
      const NodeState now = get();
      if (now == NodeState::kDone || now == NodeState::kAbandoned) return false;
      if (now == NodeState::kStarting || now == NodeState::kEnding) {
        Atomics::yield();
        continue;
      }
      was_running = now == NodeState::kRunning;
      if (try_move(now, NodeState::kAbandoned)) return true;
    }
  }

 private:
  [[nodiscard]] bool try_move(NodeState from, NodeState to) {
    return state_.compare_exchange_strong(
        from, to, std::memory_order_seq_cst, std::memory_order_acquire);
  }

  // Publishes a result from the body's thread (settle) to whoever answers.
  typename Atomics::template Atomic<NodeState> state_{NodeState::kWaiting};
};

/// The states of all nodes of a run.
template <class Atomics = base::StdAtomics>
class NodeStates {
 public:
  using Cell = NodeCell<Atomics>;

  explicit NodeStates(std::uint32_t count)
      : count_(count), cells_(std::make_unique<Cell[]>(count)) {}

  /// Makes every node wait. Not while anyone else uses the states.
  void reset() {
    static_assert(static_cast<std::uint8_t>(NodeState::kWaiting) == 0);
    static_assert(sizeof(Cell) == 1 && std::is_trivially_destructible_v<Cell>);
    std::memset(static_cast<void*>(cells_.get()), 0, count_);
  }
  [[nodiscard]] Cell& operator[](std::uint32_t node) { return cells_[node]; }

 private:
  const std::uint32_t count_;
  std::unique_ptr<Cell[]> cells_;
};

}  // namespace millrace::runtime
