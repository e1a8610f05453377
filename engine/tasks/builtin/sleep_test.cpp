#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;

using std::chrono_literals::operator""ms;

TEST(SleepTest, TSK7_GivesItsInputAfterTheTime) {
  TaskRig rig;
  const auto run =
      rig.start({.op = "sleep", .params = {{"duration_ms", num(20)}}, .inputs = {rig.ids({4})}});
  rig.loop.advance(19ms);
  EXPECT_FALSE(run.value()->outcome.is_done());
  rig.loop.advance(1ms);
  EXPECT_THAT(ids_of(run.value()->outcome.value().value()), ElementsAre(4));
}

TEST(SleepTest, TSK7_FailsAfterTheTimeIfAsked) {
  TaskRig rig;
  const auto run = rig.start({.op = "sleep",
                              .params = {{"duration_ms", num(20)}, {"fail_after_sleep", true}},
                              .inputs = {rig.ids({4})}});
  rig.loop.advance(20ms);
  EXPECT_EQ(run.value()->outcome.value().error().code(), base::ErrorCode::kNodeFailed);
}

TEST(SleepTest, TSK3_EndsWhenTheRunIsOver) {
  TaskRig rig;
  const auto run =
      rig.start({.op = "sleep", .params = {{"duration_ms", num(20)}}, .inputs = {rig.ids({4})}});
  rig.stop.request_stop();
  rig.loop.run_ready();
  EXPECT_EQ(run.value()->outcome.value().error().code(), base::ErrorCode::kCancelled);
}

}  // namespace
}  // namespace millrace::tasks::testing
