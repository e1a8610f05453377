#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/shape.h"
#include "scheduler/workload.h"

namespace millrace::bench {
namespace {

// Runs the nodes of slot 0 in the given order.
void run_in_order(Workload& workload, const std::vector<NodeIndex>& order) {
  for (const NodeIndex node : order) workload.visit_body(0, node, [](auto body) { body(); });
}

class BodyTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  Shape shape_ = make_chain(3);
  Workload workload_{shape_, GetParam(), 1};
};

TEST_P(BodyTest, CountsRunsWhenTimed) {
  workload_.begin_timed();
  run_in_order(workload_, {0, 1, 2});
  run_in_order(workload_, {0, 1, 2});
  EXPECT_TRUE(workload_.check(2));
  EXPECT_FALSE(workload_.check(1));
}

TEST_P(BodyTest, SeesALostNode) {
  workload_.begin_timed();
  run_in_order(workload_, {0, 1});
  EXPECT_FALSE(workload_.check(1));
}

TEST_P(BodyTest, SeesANodeRunTwice) {
  workload_.begin_timed();
  run_in_order(workload_, {0, 1, 1, 2});
  EXPECT_FALSE(workload_.check(1));
}

TEST_P(BodyTest, AcceptsARightOrderWhenVerified) {
  workload_.begin_verified();
  run_in_order(workload_, {0, 1, 2});
  run_in_order(workload_, {0, 1, 2});
  EXPECT_TRUE(workload_.check(2));
}

TEST_P(BodyTest, SeesAWrongOrderWhenVerified) {
  workload_.begin_verified();
  run_in_order(workload_, {0, 2, 1});
  EXPECT_FALSE(workload_.check(1));
}

TEST_P(BodyTest, SeesAWrongOrderInALaterRun) {
  workload_.begin_verified();
  run_in_order(workload_, {0, 1, 2});
  run_in_order(workload_, {1, 0, 2});
  run_in_order(workload_, {0, 1, 2});
  EXPECT_FALSE(workload_.check(3));
}

TEST_P(BodyTest, ForgetsAViolationWhenItStartsAnew) {
  workload_.begin_verified();
  run_in_order(workload_, {2, 1, 0});
  workload_.begin_timed();
  run_in_order(workload_, {0, 1, 2});
  EXPECT_TRUE(workload_.check(1));
}

INSTANTIATE_TEST_SUITE_P(EmptyAndSpinning, BodyTest, testing::Values(0, 5));

TEST(WorkloadTest, SumsRunsOverSlots) {
  const Shape shape = make_chain(2);
  Workload workload(shape, 0, 2);
  workload.begin_timed();
  for (const std::size_t slot : {0U, 1U, 1U}) {
    for (const NodeIndex node : {0U, 1U}) {
      workload.visit_body(slot, node, [](auto body) { body(); });
    }
  }
  EXPECT_TRUE(workload.check(3));
  EXPECT_FALSE(workload.check(2));
}

}  // namespace
}  // namespace millrace::bench
