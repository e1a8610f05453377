#include "tasks/task_context.h"

#include <chrono>
#include <cstdint>
#include <memory>

#include <gtest/gtest.h>

#include "base/error.h"
#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using std::chrono_literals::operator""ms;

struct TaskContextTest : ::testing::Test {
  TaskRig rig;
  std::unique_ptr<RunningNode> run = rig.start({.op = "fixed_source"}).value();

  [[nodiscard]] TaskContext context() { return {rig.request, run->context}; }
};

TEST_F(TaskContextTest, TSK3_RemainingTimeEndsAtZero) {
  EXPECT_FALSE(context().remaining().has_value());
  run->context.deadline = rig.clock.now() + 10ms;
  EXPECT_EQ(context().remaining(), 10ms);
  rig.clock.advance(30ms);
  EXPECT_EQ(context().remaining(), 0ms);
}

TEST_F(TaskContextTest, TSK3_StopIsAnError) {
  EXPECT_TRUE(context().check_stop().has_value());
  rig.stop.request_stop();
  EXPECT_EQ(context().check_stop().error().code(), base::ErrorCode::kCancelled);
}

TEST_F(TaskContextTest, REQ9_ChanceDependsOnSeedAndNodeOnly) {
  const std::uint64_t first = context().random().next();
  EXPECT_EQ(context().random().next(), first);
  rig.request.seed = 2;
  EXPECT_NE(context().random().next(), first);
  rig.request.seed = 0;
  run->prepared.seed_salt += 1;
  EXPECT_NE(context().random().next(), first);
}

TEST_F(TaskContextTest, TSK3_UnknownEndpointHasNoClient) {
  EXPECT_EQ(context().find_client({.index = 9}), nullptr);
}

}  // namespace
}  // namespace millrace::tasks::testing
