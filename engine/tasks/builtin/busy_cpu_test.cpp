#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;

TEST(BusyCpuTest, TSK7_GivesItsInput) {
  TaskRig rig;
  const auto rows =
      rig.run({.op = "busy_cpu", .params = {{"busy_wait_ms", num(1)}}, .inputs = {rig.ids({4})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(4));
}

TEST(BusyCpuTest, TSK3_LetsGoWhenTheRunIsOver) {
  TaskRig rig;
  rig.stop.request_stop();
  const auto rows = rig.run(
      {.op = "busy_cpu", .params = {{"busy_wait_ms", num(3'600'000)}}, .inputs = {rig.ids({4})}});
  EXPECT_EQ(rows.error().code(), base::ErrorCode::kCancelled);
}

}  // namespace
}  // namespace millrace::tasks::testing
