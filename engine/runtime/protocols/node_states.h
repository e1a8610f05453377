#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include "base/sync/atomics.h"

// Who decides a node: its body, or a clock or an answer that came first. Each node of a run in
// which something besides bodies ends nodes has one cell of two bytes.
//
// The state is written only by the thread that has the node:
//
// clang-format off
//   state      step      member                  next state
//   ---------  --------  ----------------------  ------------------------------------------------
//   waiting    begin     begin                   running
//                        begin_unless_taken      running; starting in traced runs
//              drop      in begin_unless_taken   dropped: it has just given way
//   starting   start     set_running             running: its NodeStart is written
//              give way  in begin_unless_taken   waiting
//   running    give way  in begin_unless_taken   waiting: the body was not called yet
//              drop      in begin                dropped: the run is to stop, no body is called (C1)
//              end       mark_ending             ending: the body has returned
//   ending     settle    settle                  done: its result counts
//              drop      drop                    dropped: it was taken, its result is late (C2, C3)
// clang-format on
//
// - begin: a thread is about to call the body. It says so first and then looks whether it may.
// - give way: the run is to stop, or somebody has asked for the node, and now finds one that waits.
// - end: in `ending` the body's thread publishes the result (commit) and writes the end of the
//   node's trace.
// - settle, drop: what was published counts, or nothing is.
// A node that was taken while it waited, or that no thread comes to any more, keeps its state.
//
// The claim is written only by those who want to take the node from its body: a clock for its
// timeout or its fallback, the answer for whatever still runs:
//
//   none ──ask──► asked ──decide──► taken, or refused because the body was faster
//
// Bodies begin and end millions of times a second, and a node is hardly ever taken. So a body pays
// plain stores and loads, and whoever takes a node pays a heavy fence between asking and deciding.
// A body stores its state, passes a light fence and reads the claim; a taker stores its claim,
// passes the heavy fence and reads the state. So if the taker finds the node waiting or running,
// the body will see the claim before it begins or publishes, and waits for what the taker decides,
// which takes as long as the fence. If the taker finds that the body is ending, it refuses.
//
// Invariant: exactly one of body and takers decides a node. Once an answer has decided about every
// node and waited for those that were ending, no body of the run publishes anything.
// tests/model/node_states_model_test.cpp tries every interleaving.

namespace millrace::runtime {

enum class NodeState : std::uint8_t {
  kWaiting,
  kStarting,  ///< in traced runs, between waiting and running: its NodeStart is being written
  kRunning,
  kEnding,
  kDone,
  kDropped,
};

/// Who wants to take a node from its body.
enum class NodeTaker : std::uint8_t { kClock, kAnswer };

/// The state of one node, and the claim on it.
/// Threading: any thread; the steps of the body belong to the thread that has the node.
template <class Atomics = base::StdAtomics>
class NodeCell {
 public:
  // --- The body.

  /// For nodes that only an answer can take. False: `is_stopped` says that the run is to stop, and
  /// the body must not run.
  template <class Stopped>
  [[nodiscard]] bool begin(Stopped is_stopped) {
    state_.store(NodeState::kRunning, std::memory_order_release);
    Atomics::light_fence();
    if (!is_stopped()) [[likely]]
      return true;
    drop();
    return false;
  }
  /// For nodes that a clock can take as well. With `as_starting` the caller must call `set_running`
  /// soon. False: the run is to stop, or the node was taken.
  template <class Stopped>
  [[nodiscard]] bool begin_unless_taken(bool as_starting, Stopped is_stopped) {
    state_.store(as_starting ? NodeState::kStarting : NodeState::kRunning,
                 std::memory_order_release);
    Atomics::light_fence();
    if (!is_stopped() && claim_.load(std::memory_order_acquire) == Claim::kNone) [[likely]]
      return true;
    give_way();
    return false;
  }
  void set_running() { state_.store(NodeState::kRunning, std::memory_order_release); }
  /// The end in two steps, so that one light fence between them serves its thread for other things
  /// too.
  void mark_ending() { state_.store(NodeState::kEnding, std::memory_order_relaxed); }
  /// False: the node was taken, and the result must be dropped.
  [[nodiscard]] bool is_own() const {
    return claim_.load(std::memory_order_acquire) == Claim::kNone || wait_for_decision();
  }
  /// Ends `ending`: publishes what was done in it.
  void settle() { state_.store(NodeState::kDone, std::memory_order_release); }
  void drop() { state_.store(NodeState::kDropped, std::memory_order_release); }

  // --- Whoever takes it: `try_ask`, a heavy fence, `decide`.

  /// False: the node is over, or somebody else has asked.
  [[nodiscard]] bool try_ask(NodeTaker taker) {
    if (state() >= NodeState::kDone) return false;
    Claim none = Claim::kNone;
    return claim_.compare_exchange_strong(
        none, asked_by(taker), std::memory_order_seq_cst, std::memory_order_acquire);
  }
  /// For whoever has asked: whether it has the node now. `was_running` tells whether a body is
  /// under way that will return late.
  [[nodiscard]] bool decide(bool& was_running) {
    NodeState now = state();
    while (now == NodeState::kStarting) {
      Atomics::yield();
      now = state();
    }
    const bool takes = now == NodeState::kWaiting || now == NodeState::kRunning;
    was_running = now == NodeState::kRunning;
    claim_.store(takes ? Claim::kTaken : Claim::kRefused, std::memory_order_release);
    return takes;
  }
  /// All three steps, for a clock.
  [[nodiscard]] bool try_take(bool& was_running) {
    if (!try_ask(NodeTaker::kClock)) return false;
    Atomics::heavy_fence();
    return decide(was_running);
  }
  [[nodiscard]] bool is_asked_by_answer() const {
    return claim_.load(std::memory_order_acquire) == Claim::kAskedByAnswer;
  }
  /// Waits for a clock that is deciding and for a body that is just publishing its result.
  void wait_until_settled() const {
    if (!is_taken() && claim_.load(std::memory_order_acquire) != Claim::kNone)
      static_cast<void>(wait_for_decision());
    while (state() == NodeState::kEnding && !is_taken()) Atomics::yield();
  }

  // --- Anyone, as a hint.

  [[nodiscard]] NodeState state() const { return state_.load(std::memory_order_acquire); }
  [[nodiscard]] bool is_taken() const {
    return claim_.load(std::memory_order_acquire) == Claim::kTaken;
  }

 private:
  enum class Claim : std::uint8_t { kNone, kAskedByClock, kAskedByAnswer, kTaken, kRefused };

  static constexpr Claim asked_by(NodeTaker taker) {
    return taker == NodeTaker::kClock ? Claim::kAskedByClock : Claim::kAskedByAnswer;
  }
  /// True: the body has the node.
  [[gnu::noinline, gnu::cold]] bool wait_for_decision() const {
    for (;;) {
      const Claim claim = claim_.load(std::memory_order_acquire);
      if (claim >= Claim::kTaken) return claim == Claim::kRefused;
      Atomics::yield();
    }
  }
  [[gnu::noinline, gnu::cold]] void give_way() {
    // Whoever asked finds a node that waits, and takes it.
    state_.store(NodeState::kWaiting, std::memory_order_release);
    if (claim_.load(std::memory_order_acquire) != Claim::kNone)
      static_cast<void>(wait_for_decision());
    drop();
  }

  // Publishes a result from the body's thread (settle) to whoever answers.
  typename Atomics::template Atomic<NodeState> state_{NodeState::kWaiting};
  // Publishes a decision to the body's thread.
  typename Atomics::template Atomic<Claim> claim_{Claim::kNone};
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
    static_assert(sizeof(Cell) == 2 && std::is_trivially_destructible_v<Cell>);
    std::memset(static_cast<void*>(cells_.get()), 0, count_ * sizeof(Cell));
  }
  [[nodiscard]] Cell& operator[](std::uint32_t node) { return cells_[node]; }

 private:
  const std::uint32_t count_;
  std::unique_ptr<Cell[]> cells_;
};

}  // namespace millrace::runtime
