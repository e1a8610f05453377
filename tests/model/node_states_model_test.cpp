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

// Thread 0 runs one node, whose commit writes what the others read. Thread 1 answers early: it
// stops the run, asks, passes its fence and decides. With a clock, thread 2 tries to take the node,
// too.
template <class Atomics, bool kHasAnswer, bool kHasClock>
class OneNode : public Scenario {
 public:
  OneNode() : Scenario(1 + (kHasAnswer ? 1 : 0) + (kHasClock ? 1 : 0), Fences::kHeavy) {}

  void run(std::size_t thread) override {
    if (thread == 0) return run_node();
    if (kHasAnswer && thread == 1) return answer();
    bool was_running = false;
    clock_took_ = states_[0].try_take(was_running);
    if (clock_took_) result_.set(3);  // what a fallback writes
  }
  void finish() override {
    const int deciders = (committed_ ? 1 : 0) + (answer_took_ ? 1 : 0) + (clock_took_ ? 1 : 0);
    require(deciders <= 1, "At most one of body, clock and answer decides");
    require(kHasAnswer || deciders == 1, "One of body and clock decides");
    was_committed |= committed_;
    was_taken |= answer_took_ || clock_took_;
  }

  // What has happened in some execution.
  static inline bool was_committed = false;
  static inline bool was_taken = false;

 private:
  void run_node() {
    const auto is_stopped = [this] { return stopped_.load(kRelaxed) != 0; };
    const bool begun =
        kHasClock ? states_[0].begin_unless_taken(false, is_stopped) : states_[0].begin(is_stopped);
    if (!begun) return;
    states_[0].mark_ending();
    Atomics::light_fence();
    if (!states_[0].is_own()) return states_[0].drop();
    result_.set(7);
    committed_ = true;
    states_[0].settle();
  }
  void answer() {
    stopped_.store(1, kRelaxed);
    static_cast<void>(states_[0].try_ask(runtime::NodeTaker::kAnswer));
    Atomics::heavy_fence();
    bool was_running = false;
    answer_took_ = states_[0].is_asked_by_answer() && states_[0].decide(was_running);
    if (!answer_took_) states_[0].wait_until_settled();
    // Reads what a commit writes: a race, if a body could still be committing.
    if (!kHasClock) static_cast<void>(result_.get());
  }

  runtime::NodeStates<Atomics> states_{1};
  typename Atomics::template Atomic<int> stopped_{0};
  Cell<int> result_{0};
  bool committed_ = false;
  bool answer_took_ = false;
  bool clock_took_ = false;
};

TEST(NodeStatesModelTest, C2_NoBodyPublishesBehindAnAnswer) {
  using Program = OneNode<ModelAtomics, true, false>;
  expect_holds<Program>();
  EXPECT_TRUE(Program::was_committed);
  EXPECT_TRUE(Program::was_taken);
}

TEST(NodeStatesModelTest, C3_OneOfBodyAndClockDecides) {
  using Program = OneNode<ModelAtomics, false, true>;
  expect_holds<Program>();
  EXPECT_TRUE(Program::was_committed);
  EXPECT_TRUE(Program::was_taken);
}

TEST(NodeStatesModelTest, C2_C3_BodyClockAndAnswerTogether) {
  using Program = OneNode<ModelAtomics, true, true>;
  expect_holds<Program>({.spurious_max = 0});
  EXPECT_TRUE(Program::was_committed);
  EXPECT_TRUE(Program::was_taken);
}

TEST(NodeStatesModelTest, PlantedMissingHeavyFenceIsCaught) {
  EXPECT_TRUE((explore_all<OneNode<NoHeavyFence, true, false>>().failure.has_value()));
  EXPECT_TRUE((explore_all<OneNode<NoHeavyFence, false, true>>().failure.has_value()));
}

TEST(NodeStatesModelTest, PlantedMissingReleaseIsCaught) {
  EXPECT_TRUE((explore_all<OneNode<NoRelease, true, false>>().failure.has_value()));
}

}  // namespace
}  // namespace millrace::model
