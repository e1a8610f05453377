#include "runtime/topology/sharing_forecast.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.h"
#include "loop/task.h"
#include "runtime/node_call.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/sharing_prices.h"
#include "runtime/topology/node.h"

namespace millrace::runtime {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

using Specs = std::vector<NodeSpec>;

/// `steps` times a node, two that wait for it, and one that waits for both.
Specs rungs(int steps) {
  Specs specs{noting_node("d0")};
  for (int step = 1; step <= steps; ++step) {
    const std::string number = std::to_string(step);
    const std::string before = "d" + std::to_string(step - 1);
    specs.push_back(noting_node("b" + number, {before}));
    specs.push_back(noting_node("c" + number, {before}));
    specs.push_back(noting_node("d" + number, {"b" + number, "c" + number}));
  }
  return specs;
}

Specs halving_tree(int count) {
  Specs specs{noting_node("0")};
  for (int node = 1; node < count; ++node)
    specs.push_back(noting_node(std::to_string(node), {std::to_string((node - 1) / 2)}));
  return specs;
}

/// A square whose nodes wait for those above and to the left.
Specs square_of(int side) {
  const auto name = [](int row, int column) {
    return std::to_string(row) + "_" + std::to_string(column);
  };
  Specs specs;
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      std::vector<std::string> after;
      if (row > 0) after.push_back(name(row - 1, column));
      if (column > 0) after.push_back(name(row, column - 1));
      specs.push_back(noting_node(name(row, column), std::move(after)));
    }
  }
  return specs;
}

Specs wide(int width) {
  Specs specs{noting_node("source")};
  std::vector<std::string> all;
  for (int node = 0; node < width; ++node) {
    all.push_back(std::to_string(node));
    specs.push_back(noting_node(all.back(), {"source"}));
  }
  specs.push_back(noting_node("sink", std::move(all)));
  return specs;
}

SharingPlan plan(Specs specs, base::Duration cost, base::Duration hand_over) {
  TestDag dag(std::move(specs));
  dag.teach(cost);
  return dag.costs().sharing({.hand_over = hand_over, .bundle = bundle_price(hand_over)});
}

constexpr base::Duration kCheap = nanoseconds(120);
constexpr base::Duration kDear = nanoseconds(550);

TEST(SharingForecastTest, D11_NothingOfAChainIsShared) {
  Specs chain{noting_node("0")};
  for (int node = 1; node < 100; ++node)
    chain.push_back(noting_node(std::to_string(node), {std::to_string(node - 1)}));
  EXPECT_FALSE(plan(std::move(chain), microseconds(20), kCheap).shares());
}

TEST(SharingForecastTest, D11_WorkersThatMeetAfterEveryNodeMustGainMoreThanTheirHandOvers) {
  EXPECT_FALSE(plan(rungs(64), nanoseconds(500), kDear).shares());
  EXPECT_TRUE(plan(rungs(64), nanoseconds(500), kCheap).shares());
  EXPECT_TRUE(plan(rungs(64), microseconds(5), kDear).shares());
  EXPECT_FALSE(plan(rungs(64), nanoseconds(50), kCheap).shares());
}

TEST(SharingForecastTest, D11_ATreePaysAlthoughItsNodesAreCheaperThanAHandOver) {
  const SharingPlan tree = plan(halving_tree(255), nanoseconds(100), kDear);
  ASSERT_TRUE(tree.shares());
  EXPECT_GT(tree.gain_ns, 255U * 100 / 4);
  // Of empty nodes the way through a queue would be most of the time.
  EXPECT_FALSE(plan(halving_tree(255), nanoseconds(5), kCheap).shares());
}

TEST(SharingForecastTest, D11_CheapNodesThatLeadFarAreSharedWhereHandOversAreCheap) {
  const SharingPlan square = plan(square_of(32), nanoseconds(100), kCheap);
  ASSERT_TRUE(square.shares());
  EXPECT_EQ(square.worth_min_ns, 0U) << "no node is worth a hand-over by itself";
  EXPECT_FALSE(plan(square_of(16), nanoseconds(50), kDear).shares());
}

TEST(SharingForecastTest, D11_ManyCheapNodesGoTogether) {
  const SharingPlan many = plan(wide(512), nanoseconds(50), kDear);
  ASSERT_TRUE(many.shares());
  EXPECT_EQ(many.worth_min_ns, 550U);
  EXPECT_FALSE(plan(wide(16), nanoseconds(50), kDear).shares());
}

TEST(SharingForecastTest, D11_TheGainIsTheTimeThatIsSaved) {
  // The source, then two nodes at the same time, one of which has to be handed over.
  const std::uint64_t gain = plan(wide(2), microseconds(100), kDear).gain_ns;
  EXPECT_LT(gain, 100'000U);
  EXPECT_GT(gain, 98'000U);
}

TEST(SharingForecastTest, D6_WhatFollowsFromANodeAloneIsPartOfItsWorth) {
  TestDag dag({noting_node("a"),
               noting_node("b", {"a"}),
               noting_node("c", {"b"}),
               noting_node("d", {"a"}),
               noting_node("e", {"c", "d"})});
  dag.teach(nanoseconds(100));
  const auto worth = [&](const char* id) { return dag.costs().worths()[dag.node(id)].load(); };
  EXPECT_EQ(worth("a"), 400U);
  EXPECT_EQ(worth("b"), 200U);
  EXPECT_EQ(worth("d"), 100U);
  EXPECT_EQ(worth("e"), 100U);
  EXPECT_EQ(dag.costs().most_worth_ns(), 200U) << "whoever begins the run keeps its only source";
}

TEST(SharingForecastTest, D6_WhatFollowsFromAnAsyncNodeIsNotPartOfTheWorthBeforeIt) {
  NodeSpec fetch{.id = "fetch", .kind = NodeKind::kAsync, .after = {"key"}};
  fetch.async_body = [](const void*, NodeCall) -> loop::Task<base::Status> { co_return {}; };
  TestDag dag({noting_node("source"),
               noting_node("key", {"source"}),
               std::move(fetch),
               noting_node("score", {"fetch"}),
               noting_node("other", {"source"})});
  dag.teach(nanoseconds(100));
  EXPECT_EQ(dag.costs().worths()[dag.node("key")].load(), 100U)
      << "whoever takes it does not get what the loop makes ready";
  EXPECT_EQ(dag.costs().most_worth_ns(), 100U);
}

TEST(SharingForecastTest, D11_ThePlanFollowsThePrice) {
  TestDag dag(rungs(8));
  dag.teach(nanoseconds(500));
  EXPECT_TRUE(dag.costs().sharing({.hand_over = kCheap}).shares());
  EXPECT_FALSE(dag.costs().sharing({.hand_over = kDear}).shares());
  EXPECT_TRUE(dag.costs().sharing({.hand_over = kCheap}).shares());
}

TEST(SharingForecastTest, D11_AHugePlanSharesWhatIsWorthAHandOver) {
  const SharingPlan huge = plan(wide(5000), microseconds(1), kDear);
  EXPECT_EQ(huge.worth_min_ns, 550U);
  EXPECT_GT(huge.gain_ns, 2'000'000U);
}

}  // namespace
}  // namespace millrace::runtime
