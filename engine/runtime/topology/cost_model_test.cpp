#include "runtime/topology/cost_model.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"
#include "runtime/topology/priority_order.h"
#include "runtime/topology/topology.h"

namespace millrace::runtime {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using testing::ElementsAre;

// Checks: C-cost, with the tests named CCost_.
TEST(CostModelTest, CCost_NeedsAMinimumOfSamples) {
  TestDag dag({noting_node("a")});
  EXPECT_EQ(dag.costs().hint(0), CostModel::kUnknown);
  for (std::uint32_t sample = 1; sample < dag.costs().settings().samples_min; ++sample) {
    dag.costs().record(0, microseconds(3), 0);
    EXPECT_EQ(dag.costs().estimate(0, 0), std::nullopt);
  }
  dag.costs().record(0, microseconds(3), 0);
  EXPECT_EQ(dag.costs().estimate(0, 0), microseconds(3));
  EXPECT_FALSE(dag.costs().is_warm());
  dag.costs().refresh();
  EXPECT_TRUE(dag.costs().is_warm());
}

TEST(CostModelTest, CCost_IsSampledOnceWarm) {
  TestDag dag({noting_node("a")});
  EXPECT_TRUE(dag.costs().wants_sample(7));
  dag.teach(microseconds(1));
  EXPECT_FALSE(dag.costs().wants_sample(7));
  EXPECT_TRUE(dag.costs().wants_sample(dag.costs().settings().sample_every));
}

TEST(CostModelTest, CCost_OneStretchedSampleChangesLittle) {
  TestDag dag({noting_node("a")});
  dag.teach(nanoseconds(20));
  dag.costs().record(0, milliseconds(50), 0);
  EXPECT_LT(dag.costs().estimate(0, 0).value_or(base::Duration::max()), nanoseconds(50));
}

TEST(CostModelTest, CCost_FollowsALastingChange) {
  TestDag dag({noting_node("a")});
  dag.teach(nanoseconds(20));
  for (int sample = 0; sample < 60; ++sample) dag.costs().record(0, microseconds(500), 0);
  EXPECT_GT(dag.costs().estimate(0, 0), microseconds(450));
}

TEST(CostModelTest, CCost_HysteresisInlinesBelowTAndStopsAboveTwiceT) {
  TestDag dag({noting_node("a")});
  const auto settle_at = [&](base::Duration cost) {
    for (int sample = 0; sample < 100; ++sample) dag.costs().record(0, cost, 0);
    dag.costs().refresh();
    return dag.costs().is_cheap_enough_to_inline(0, 0);
  };
  EXPECT_FALSE(settle_at(microseconds(15)));  // between T and 2T, never inlined before
  EXPECT_TRUE(settle_at(microseconds(9)));
  EXPECT_TRUE(settle_at(microseconds(15)));  // between T and 2T, inlined before
  EXPECT_FALSE(settle_at(microseconds(25)));
}

TEST(CostModelTest, I3_ThresholdIsStrict) {
  NodeSpec spec = noting_node("a");
  spec.cost_estimate = microseconds(10);
  TestDag at({spec});
  EXPECT_FALSE(at.costs().is_cheap_enough_to_inline(0, 0));
  spec.cost_estimate = nanoseconds(9'999);
  TestDag below({spec});
  EXPECT_TRUE(below.costs().is_cheap_enough_to_inline(0, 0));
}

TEST(CostModelTest, I2_MeasuredOutranksDeclared) {
  NodeSpec spec = noting_node("a");
  spec.cost_estimate = milliseconds(1);
  TestDag dag({spec});
  EXPECT_EQ(dag.costs().estimate(0, 0), milliseconds(1));
  dag.teach(microseconds(2));
  EXPECT_EQ(dag.costs().estimate(0, 0), microseconds(2));
}

TEST(CostModelTest, I4_CostGrowsWithRows) {
  NodeSpec spec = noting_node("a");
  spec.cost_estimate = microseconds(2);
  spec.cost_per_row = nanoseconds(10);
  TestDag dag({spec});
  EXPECT_EQ(dag.costs().estimate(0, 0), microseconds(2));
  EXPECT_EQ(dag.costs().estimate(0, 1000), microseconds(12));
  EXPECT_TRUE(dag.costs().is_cheap_enough_to_inline(0, 100));
  EXPECT_FALSE(dag.costs().is_cheap_enough_to_inline(0, 1000));
}

TEST(CostModelTest, I4_LargestCostsDoNotWrap) {
  NodeSpec spec = noting_node("a");
  spec.cost_per_row = hours(1);
  TestDag dag({spec});
  EXPECT_EQ(dag.costs().estimate(0, UINT32_MAX), base::Duration::max());
}

TEST(CostModelTest, P1_OrdersByRankThenDeclaration) {
  // b is on the longest path; c and d are equal.
  TestDag dag({noting_node("a"),
               noting_node("c", {"a"}),
               noting_node("b", {"a"}),
               noting_node("d", {"a"}),
               noting_node("e", {"b"})});
  const PriorityOrder& order = dag.costs().order();
  std::vector<std::uint32_t> targets;
  for (const Edge& edge : order.edges) {
    if (edge.target != dag.node("e")) targets.push_back(edge.target);
  }
  EXPECT_THAT(targets,
              ElementsAre(dag.node("d"), dag.node("c"), dag.node("b")));  // the best comes last
}

TEST(CostModelTest, P2_RanksFollowMeasuredCostsButOldOrdersStay) {
  TestDag dag({noting_node("a"), noting_node("b", {"a"}), noting_node("c", {"a"})});
  const PriorityOrder& before = dag.costs().order();
  EXPECT_EQ(before.edges.back().target, dag.node("b"));
  dag.teach(dag.node("a"), microseconds(1));
  dag.teach(dag.node("b"), microseconds(1));
  dag.teach(dag.node("c"), microseconds(50));
  dag.costs().refresh();
  EXPECT_EQ(dag.costs().order().edges.back().target, dag.node("c"));
  EXPECT_EQ(before.edges.back().target, dag.node("b"));  // a run keeps the order it started with
}

TEST(CostModelTest, D6_DearestNodeIsKnownWhenAllAre) {
  TestDag dag({noting_node("a"), noting_node("b")});
  EXPECT_EQ(dag.costs().dearest_ns(), CostModel::kUnknown);
  dag.teach(nanoseconds(20));
  EXPECT_EQ(dag.costs().dearest_ns(), 20U);
  EXPECT_EQ(dag.costs().total_ns(), 40U);
  for (int sample = 0; sample < 60; ++sample) dag.costs().record(1, microseconds(500), 0);
  dag.costs().refresh();
  EXPECT_EQ(dag.costs().dearest_ns(), dag.costs().hint(1));
  EXPECT_GT(dag.costs().dearest_ns(), 100'000U);
  EXPECT_LT(dag.costs().dearest_ns(), CostModel::kUnknown);
}

TEST(CostModelTest, D11_WhatSharingGainsFollowsTheCostsAlthoughTheOrderDoesNot) {
  TestDag dag({noting_node("a"), noting_node("long", {"a"}), noting_node("short", {"a"})});
  dag.teach(dag.node("a"), milliseconds(1));
  dag.teach(dag.node("long"), milliseconds(10));
  dag.teach(dag.node("short"), milliseconds(1));
  dag.costs().refresh();
  constexpr std::uint64_t kSlack = 2'000;  // for hand-overs
  EXPECT_NEAR(dag.costs().sharing({}).gain_ns, 1'000'000U, kSlack);
  // Not half of what it was, so the order stays; all of it together is shorter than its longest
  // path was.
  for (int sample = 0; sample < 2; ++sample)
    dag.costs().record(dag.node("long"), milliseconds(6), 0);
  dag.costs().refresh();
  EXPECT_NEAR(dag.costs().sharing({}).gain_ns, 1'000'000U, kSlack);
}

TEST(CostModelTest, D6_AHintIsTheCost) {
  TestDag dag({noting_node("a"), noting_node("b")});
  dag.teach(0, nanoseconds(30));
  dag.teach(1, microseconds(30));
  dag.costs().refresh();
  EXPECT_EQ(dag.costs().hint(0), 30U);
  EXPECT_EQ(dag.costs().hint(1), 30'000U);
}

TEST(CostModelTest, D6_ANodeThatCostsPerRowIsAsDearAsItWasMeasured) {
  NodeSpec spec = noting_node("rows");
  spec.cost_per_row = nanoseconds(5);
  TestDag dag({spec});
  EXPECT_EQ(dag.costs().hint(0), CostModel::kUnknown);  // the rows are not known yet
  for (std::uint32_t sample = 0; sample < dag.costs().settings().samples_min; ++sample)
    dag.costs().record(0, nanoseconds(100), 10);
  dag.costs().refresh();
  EXPECT_EQ(dag.costs().hint(0), 100U);
}

TEST(CostModelTest, CCost_AWrongFixedPartIsForgottenWhereRowsCostToo) {
  NodeSpec spec = noting_node("rows");
  spec.cost_estimate = microseconds(500);
  spec.cost_per_row = nanoseconds(5);
  TestDag dag({spec});
  for (std::uint32_t sample = 0; sample < dag.costs().settings().samples_min; ++sample)
    dag.costs().record(0, nanoseconds(1'000), 100);
  ASSERT_TRUE(dag.costs().estimate(0, 100).has_value());
  EXPECT_EQ(*dag.costs().estimate(0, 100), nanoseconds(1'000));
  EXPECT_LT(*dag.costs().estimate(0, 0), nanoseconds(1'000));
}

TEST(CostModelTest, C13_TheUpperTotalIsKnownOnceEveryNodeIsMeasured) {
  TestDag dag({noting_node("a"), noting_node("b", {"a"})});
  EXPECT_FALSE(dag.costs().upper_total().has_value());
  dag.teach(microseconds(10));
  ASSERT_TRUE(dag.costs().upper_total().has_value());
  EXPECT_GE(*dag.costs().upper_total(), microseconds(20));
  EXPECT_LE(*dag.costs().upper_total(), microseconds(80));
}

TEST(CostModelTest, C8_ReserveIsMeasuredWithAFloorAndAnOverride) {
  NodeSpec spec = noting_node("a");
  spec.fallback = FallbackKind::kValue;
  spec.fallback_body = spec.body;
  NodeSpec own = noting_node("b");
  own.fallback = FallbackKind::kValue;
  own.fallback_body = own.body;
  own.reserve = milliseconds(7);
  TestDag dag({spec, own});
  EXPECT_EQ(dag.costs().reserve(0), milliseconds(1));
  EXPECT_EQ(dag.costs().reserve(1), milliseconds(7));
  for (int run = 0; run < 94; ++run) dag.costs().record_downstream(0, microseconds(10));
  for (int run = 0; run < 6; ++run) dag.costs().record_downstream(0, milliseconds(20));
  EXPECT_GE(dag.costs().reserve(0), milliseconds(20));
  EXPECT_LE(dag.costs().reserve(0), milliseconds(40));
}

TEST(CostModelTest, RefusesImpossibleSettings) {
  EXPECT_FALSE(validate(CostSettings{.samples_min = 0}).has_value());
  EXPECT_FALSE(validate(CostSettings{.sample_every = 0}).has_value());
  EXPECT_FALSE(validate(CostSettings{.inline_threshold = nanoseconds(-1)}).has_value());
  EXPECT_TRUE(validate(CostSettings{}).has_value());
}

TEST(CostModelTest, C9_UpperEstimatesHoldForNumbersOfRowsThatDifferMuch) {
  // Costs are a fixed part and a part per row. The declared cost per row is wrong.
  base::SplitMix64 random(1);
  const auto below = [&](std::uint64_t limit) {
    return static_cast<std::int64_t>(random.below(limit));
  };
  int under_count = 0;
  int asked_count = 0;
  for (int plan = 0; plan < 1000; ++plan) {
    NodeSpec spec = noting_node("n");
    spec.cost_per_row = nanoseconds(1 + below(50));
    TestDag dag({spec});
    CostModel& costs = dag.costs();
    const std::int64_t fixed =
        random.chance(0.8) ? 200 + below(20'000) : 100'000 + below(30'000'000);
    const std::int64_t per_row = below(300);
    for (int sample = 0; sample < 30; ++sample) {
      std::uint32_t rows = 1;
      for (std::int64_t power = below(6); power > 0; --power) rows *= 10;
      const base::Duration cost(fixed + per_row * rows);
      const auto upper = costs.upper_estimate(0, rows);
      // What does not fit the budget of a loop may be estimated as it likes.
      if (upper && *upper < milliseconds(2)) {
        ++asked_count;
        under_count += cost > *upper + microseconds(1) ? 1 : 0;
      }
      costs.record(0, cost, rows);
    }
  }
  EXPECT_GT(asked_count, 5000);
  EXPECT_EQ(under_count, 0);
}

}  // namespace
}  // namespace millrace::runtime
