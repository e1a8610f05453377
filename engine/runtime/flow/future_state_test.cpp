#include "runtime/flow/future_state.h"

#include <memory>

#include <gtest/gtest.h>

#include "base/error.h"
#include "loop/fake_loop.h"
#include "runtime/scheduler_fixture.h"

namespace millrace::runtime {
namespace {

TEST(FutureStateTest, TheAnswerMakesItReadyAndTheLastHolderDeletesIt) {
  TestScheduler lab({.compute_threads = 2});
  TestDag dag({noting_node("a")});
  auto* const state = new FutureState(*lab.pool, {});
  auto handle = dag.runs().submit(
      *lab.pool, std::make_shared<Notes>(), {.loop = &lab.loop}, state->observer());
  ASSERT_TRUE(handle.has_value());
  state->keep(*std::move(handle));
  EXPECT_FALSE(state->is_ready());
  lab.settle();
  EXPECT_TRUE(state->is_ready());
  EXPECT_TRUE(state->status().has_value());
  state->drop();  // the run has dropped it with its answer; a leak or a second delete would show
}

TEST(FutureStateTest, ARunThatWasNotStartedLeavesNothingBehind) {
  TestScheduler lab({.compute_threads = 2});
  auto* const state = new FutureState(*lab.pool, {});
  static_cast<void>(state->observer());
  state->forget_run();
  EXPECT_FALSE(state->is_ready());
  state->drop();
}

}  // namespace
}  // namespace millrace::runtime
