#include <atomic>
#include <cstddef>

#include <gtest/gtest.h>

#include "expectations.h"
#include "explorer.h"
#include "memory.h"
#include "model_atomics.h"
#include "planted_bugs.h"
#include "runtime/protocols/node_states.h"

namespace millrace::model {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// Thread 0 runs one quick node, whose commit writes what the answer reads. Thread 1 answers early:
// it closes the run, passes its fence and abandons the node. The answer and the commit never meet.
template <class Atomics>
class QuickNodeAndAnswer : public Scenario {
 public:
  QuickNodeAndAnswer() : Scenario(2, Fences::kHeavy) {}

  void run(std::size_t thread) override {
    if (thread == 0) {
      run_node();
    } else {
      answer();
    }
  }
  void finish() override {
    const runtime::NodeState state = states_[0].get();
    require(state == runtime::NodeState::kDone || state == runtime::NodeState::kAbandoned ||
                state == runtime::NodeState::kRunning,
            "The node was decided");
    require(!(committed_ && was_taken_), "Exactly one of body and answer decides");
    was_committed |= committed_;
    was_dropped |= was_taken_;
  }

  // What has happened in some execution.
  static inline bool was_committed = false;
  static inline bool was_dropped = false;

 private:
  void run_node() {
    if (!states_[0].begin_quick([this] { return closed_.load(kRelaxed) != 0; })) return;
    if (!states_[0].end_quick([this] { return closed_.load(kRelaxed) == 0; })) return;
    result_.set(7);
    committed_ = true;
    states_[0].settle();
  }
  void answer() {
    closed_.store(1, kRelaxed);
    Atomics::heavy_fence();
    bool was_running = false;
    was_taken_ = states_[0].try_abandon(was_running);
    // Reads what a commit writes: a race, if a body could still be committing.
    static_cast<void>(result_.get());
  }

  runtime::NodeStates<Atomics> states_{1};
  typename Atomics::template Atomic<int> closed_{0};
  Cell<int> result_{0};
  bool committed_ = false;
  bool was_taken_ = false;
};

// A careful node: its body and its clock each try to decide it.
template <class Atomics>
class CarefulNodeAndClock : public Scenario {
 public:
  CarefulNodeAndClock() : Scenario(2, Fences::kHeavy) {}

  void run(std::size_t thread) override {
    if (thread == 0) {
      if (!states_[0].begin_careful(false, [] { return false; })) return;
      if (!states_[0].end_careful()) return;
      result_.set(7);
      committed_ = true;
      states_[0].settle();
      return;
    }
    bool was_running = false;
    taken_ = states_[0].try_abandon(was_running);
    static_cast<void>(result_.get());
  }
  void finish() override { require(committed_ != taken_, "Exactly one of body and clock decides"); }

 private:
  runtime::NodeStates<Atomics> states_{1};
  Cell<int> result_{0};
  bool committed_ = false;
  bool taken_ = false;
};

TEST(NodeStatesModelTest, C2_NoBodyPublishesBehindAnAnswer) {
  using Program = QuickNodeAndAnswer<ModelAtomics>;
  expect_holds<Program>();
  EXPECT_TRUE(Program::was_committed);
  EXPECT_TRUE(Program::was_dropped);
}

TEST(NodeStatesModelTest, C3_OneOfBodyAndClockDecides) {
  expect_holds<CarefulNodeAndClock<ModelAtomics>>();
}

TEST(NodeStatesModelTest, PlantedMissingHeavyFenceIsCaught) {
  const Report report = explore_all<QuickNodeAndAnswer<NoHeavyFence>>();
  EXPECT_TRUE(report.failure.has_value());
}

TEST(NodeStatesModelTest, PlantedMissingReleaseIsCaught) {
  const Report report = explore_all<CarefulNodeAndClock<NoRelease>>();
  EXPECT_TRUE(report.failure.has_value());
}

}  // namespace
}  // namespace millrace::model
