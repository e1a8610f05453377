#include "graph/run/lane_queue.h"

#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "graph/format/spec.h"
#include "graph/format/words.h"

namespace millrace::graph {
namespace {

using Positions = std::vector<std::uint32_t>;

LaneSpec pool(std::int64_t threads,
              std::optional<std::int64_t> capacity,
              LaneOverflow overflow = LaneOverflow::kReject,
              std::int64_t guard_every = 64) {
  LaneSpec lane;
  lane.type = LaneType::kThreadPool;
  lane.max_threads = threads;
  lane.queue_capacity = capacity;
  lane.overflow = overflow;
  lane.starvation_guard_every = guard_every;
  return lane;
}

std::vector<LaneItem> items(const std::vector<PriorityClass>& classes, bool is_reentrant = true) {
  std::vector<LaneItem> list;
  for (const PriorityClass priority : classes) {
    list.push_back({.component = 0, .priority = priority, .is_reentrant = is_reentrant});
  }
  return list;
}

constexpr auto kHigh = PriorityClass::kHigh;
constexpr auto kNormal = PriorityClass::kNormal;
constexpr auto kLow = PriorityClass::kLow;
constexpr auto kBackground = PriorityClass::kBackground;

TEST(LaneQueue, G62_WidthCountsNonReentrantComponentsOnce) {
  LaneQueue queue(pool(4, 0));
  std::vector<LaneItem> batch = items({kNormal, kNormal, kNormal}, false);
  EXPECT_EQ(queue.admit(batch).width, 1U);
  batch[2].component = 1;
  EXPECT_EQ(queue.admit(batch).width, 2U);
  EXPECT_EQ(queue.admit(items({kNormal, kNormal, kNormal})).width, 3U);
  EXPECT_EQ(queue.admit(items(std::vector(6, kNormal))).width, 4U);
}

TEST(LaneQueue, G62_AdmitsWidthAndCapacityAndRejectsTheNewestOfTheLowestClass) {
  LaneQueue queue(pool(2, 1));
  const LaneAdmission admission = queue.admit(items({kLow, kHigh, kNormal, kLow, kBackground}));
  EXPECT_EQ(admission.rejected, (Positions{3, 4}));
  EXPECT_EQ(admission.low_rejected, 2U);
  EXPECT_EQ(admission.dispatch, (Positions{1, 2, 0}));
}

TEST(LaneQueue, G62_DropOldestRejectsTheOldest) {
  LaneQueue queue(pool(1, 1, LaneOverflow::kDropOldest));
  const LaneAdmission admission = queue.admit(items({kNormal, kNormal, kNormal}));
  EXPECT_EQ(admission.rejected, (Positions{0}));
  EXPECT_EQ(admission.dispatch, (Positions{1, 2}));
  EXPECT_EQ(admission.low_rejected, 0U);
}

TEST(LaneQueue, G62_OmittedCapacityAdmitsAllAndFailFastFails) {
  EXPECT_EQ(LaneQueue(pool(1, {})).admit(items(std::vector(100, kNormal))).dispatch.size(), 100U);
  LaneQueue queue(pool(1, 0, LaneOverflow::kFailFast));
  EXPECT_FALSE(queue.admit(items({kNormal})).has_failed);
  EXPECT_TRUE(queue.admit(items({kNormal, kNormal})).has_failed);
}

TEST(LaneQueue, G38_DispatchesByClassThenOrder) {
  LaneQueue queue(pool(1, {}));
  EXPECT_EQ(queue.admit(items({kBackground, kNormal, kHigh, kLow, kNormal})).dispatch,
            (Positions{2, 1, 4, 3, 0}));
}

TEST(LaneQueue, G38_TheGuardGivesTheLowestClassATurnOverAllBatches) {
  LaneQueue queue(pool(1, {}, LaneOverflow::kReject, 3));
  // Three in order, then the oldest of the lowest class, which counts as one of the next three.
  const LaneAdmission first = queue.admit(items({kBackground, kHigh, kHigh, kHigh, kHigh, kLow}));
  EXPECT_EQ(first.dispatch, (Positions{1, 2, 3, 0, 4, 5}));
  EXPECT_EQ(first.guard_turns, 1U);
  const LaneAdmission second = queue.admit(items({kHigh, kLow}));
  EXPECT_EQ(second.dispatch, (Positions{1, 0}));
  EXPECT_EQ(second.guard_turns, 1U);
  const LaneAdmission alone = queue.admit(items({kLow, kLow, kLow}));
  EXPECT_EQ(alone.guard_turns, 0U) << "no higher class waited";
}

TEST(LaneQueue, G38_ABatchOfOneClassCountsForTheGuardToo) {
  LaneQueue queue(pool(1, {}, LaneOverflow::kReject, 3));
  const LaneAdmission first = queue.admit(items(std::vector(4, kNormal)));
  EXPECT_TRUE(first.is_in_order);
  EXPECT_EQ(first.dispatch, (Positions{0, 1, 2, 3}));
  // Three, and one more: two are left before the turn of the lowest class.
  const LaneAdmission second = queue.admit(items({kLow, kHigh, kHigh, kHigh}));
  EXPECT_FALSE(second.is_in_order);
  EXPECT_EQ(second.dispatch, (Positions{1, 2, 0, 3}));
  EXPECT_EQ(second.guard_turns, 1U);
}

}  // namespace
}  // namespace millrace::graph
