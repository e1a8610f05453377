#include "runtime/sharing_prices.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"

namespace millrace::runtime {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

TEST(SharingPricesTest, D11_ARunIsSharedIfItGainsMoreThanItsTokensCost) {
  const SharingPrices prices{.hand_over = nanoseconds(100)};
  EXPECT_FALSE(prices.pays(nanoseconds(0), 0)) << "a chain";
  EXPECT_FALSE(prices.pays(nanoseconds(100), 0));
  EXPECT_TRUE(prices.pays(nanoseconds(101), 0));
  EXPECT_FALSE(prices.pays(nanoseconds(1100), 20));
  EXPECT_TRUE(prices.pays(nanoseconds(1101), 20));
}

TEST(SharingPricesTest, D11_WhatIsMeasuredIsPossible) {
  const SharingPrices prices = measure_sharing_prices(base::steady_clock());
  EXPECT_GE(prices.hand_over, nanoseconds(50));
  EXPECT_LE(prices.hand_over, microseconds(1));
  EXPECT_GE(prices.wake, microseconds(5));
  EXPECT_LE(prices.wake, microseconds(100));
  EXPECT_GE(prices.bundle, microseconds(4));
  EXPECT_EQ(&machine_prices(), &machine_prices()) << "measured once";
}

/// Layers of `width` nodes, each of which waits for two of the layer before.
std::vector<NodeSpec> layers(int depth, int width) {
  const auto name = [](int layer, int column) {
    return "n" + std::to_string(layer) + "_" + std::to_string(column);
  };
  std::vector<NodeSpec> specs;
  for (int layer = 0; layer < depth; ++layer) {
    for (int column = 0; column < width; ++column) {
      std::vector<std::string> after;
      if (layer > 0) after = {name(layer - 1, column), name(layer - 1, (column + 1) % width)};
      specs.push_back(noting_node(name(layer, column), after));
    }
  }
  return specs;
}

/// Items that workers made available to others in one run of nodes that cost `cost`.
std::uint64_t published(std::vector<NodeSpec> specs,
                        base::Duration cost,
                        base::Duration hand_over) {
  TestScheduler lab(
      {.compute_threads = 2, .hand_over_price = hand_over, .bundle_price = microseconds(1)});
  TestDag dag(std::move(specs));
  dag.teach(cost);
  const auto notes = std::make_shared<Notes>();
  const RunHandle run = lab.submit(dag, notes);
  lab.settle();
  EXPECT_EQ(notes->order.size(), dag.topology().node_count());
  return lab.pool->counters().published;
}

TEST(SharingPricesTest, D11_ALoneRunOfCheapNodesStaysOnOneWorker) {
  // 300 nodes of 200 ns save 30 us at most, and pass 580 tokens to nodes that wait for two.
  EXPECT_EQ(published(layers(30, 10), nanoseconds(200), nanoseconds(150)), 0U);
  // With bodies of 5 us the same tokens are worth it, and so they are where hand-overs are cheap.
  EXPECT_GT(published(layers(30, 10), microseconds(5), nanoseconds(150)), 0U);
  EXPECT_GT(published(layers(30, 10), nanoseconds(200), nanoseconds(50)), 0U);
}

TEST(SharingPricesTest, D11_AChainIsNeverShared) {
  std::vector<NodeSpec> chain{noting_node("0")};
  for (int node = 1; node < 1000; ++node)
    chain.push_back(noting_node(std::to_string(node), {std::to_string(node - 1)}));
  EXPECT_EQ(published(std::move(chain), microseconds(20), nanoseconds(150)), 0U);
}

TEST(SharingPricesTest, D11_OnlyTokensThatAreGivenOneByOneAreCounted) {
  EXPECT_EQ(TestDag(layers(30, 10)).costs().contended_edge_count(), 580U);
  EXPECT_EQ(TestDag(layers(1, 10)).costs().contended_edge_count(), 0U);
  std::vector<NodeSpec> fan{noting_node("source")};
  std::vector<std::string> all;
  for (int node = 0; node < 50; ++node) {
    all.push_back("f" + std::to_string(node));
    fan.push_back(noting_node(all.back(), {"source"}));
  }
  fan.push_back(noting_node("sink", all));
  EXPECT_EQ(TestDag(fan).costs().contended_edge_count(), 0U);
}

}  // namespace
}  // namespace millrace::runtime
