#include "runtime/sharing_prices.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "runtime/node_call.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"
#include "runtime/worker_pool.h"

namespace millrace::runtime {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

TEST(SharingPricesTest, D11_WhatIsMeasuredIsPossible) {
  const SharingPrices prices = measure_sharing_prices(base::steady_clock());
  EXPECT_GE(prices.hand_over, kHandOverMin);
  EXPECT_LE(prices.hand_over, kHandOverMax);
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
  EXPECT_EQ(published(layers(30, 10), nanoseconds(100), nanoseconds(600)), 0U);
  // With bodies of 5 us the same tokens are worth it, and so they are where hand-overs are cheap.
  EXPECT_GT(published(layers(30, 10), microseconds(5), nanoseconds(600)), 0U);
  EXPECT_GT(published(layers(30, 10), nanoseconds(100), nanoseconds(30)), 0U);
}

/// Items that 1000 runs, one after another, made available to others, once their costs are known to
/// be too small to share.
std::uint64_t published_by_lone_runs(std::optional<base::Duration> hand_over) {
  auto pool = WorkerPool::create({.compute_threads = 2, .hand_over_price = hand_over});
  if (!pool) return 0;
  std::vector<NodeSpec> specs = layers(30, 2);
  for (NodeSpec& spec : specs) spec.body = [](const void*, NodeCall&) { return true; };
  TestDag dag(std::move(specs));
  dag.teach(nanoseconds(5));
  const auto run = [&] { EXPECT_TRUE(dag.runs().run(**pool, nullptr, {}).has_value()); };
  run();  // the first use is measured
  const std::uint64_t before = (*pool)->counters().published;
  for (int use = 1; use < 1000; ++use) run();
  return (*pool)->counters().published - before;
}

TEST(SharingPricesTest, D11_WhereNothingIsSharedARunNowAndThenTriesIt) {
  EXPECT_GT(published_by_lone_runs(std::nullopt), 0U);
  EXPECT_EQ(published_by_lone_runs(std::chrono::milliseconds(1)), 0U)
      << "a given price is not learned";
}

// Else nodes that share what they touch would seem dear, and be shared for that, for ever.
TEST(SharingPricesTest, D11_AShortRunIsMeasuredAlone) {
  TestScheduler lab(
      {.compute_threads = 2, .hand_over_price = nanoseconds(30), .bundle_price = microseconds(1)});
  TestDag dag(layers(30, 10), {.sample_every = 4});
  dag.teach(nanoseconds(100));
  const auto notes = std::make_shared<Notes>();
  std::vector<bool> was_shared;
  for (int use = 0; use < 5; ++use) {
    const std::uint64_t before = lab.pool->counters().published;
    const RunHandle run = lab.submit(dag, notes);
    lab.settle();
    was_shared.push_back(lab.pool->counters().published != before);
  }
  EXPECT_EQ(was_shared[3], true);
  EXPECT_EQ(was_shared[4], false) << "it is measured";
}

TEST(SharingPricesTest, D11_AChainIsNeverShared) {
  std::vector<NodeSpec> chain{noting_node("0")};
  for (int node = 1; node < 1000; ++node)
    chain.push_back(noting_node(std::to_string(node), {std::to_string(node - 1)}));
  EXPECT_EQ(published(std::move(chain), microseconds(20), nanoseconds(150)), 0U);
}

void note_times(HandOverPrice& price, int count, base::Duration taking) {
  for (int time = 0; time < count; ++time) price.note(taking);
}

TEST(HandOverPriceTest, D11_ThePriceFollowsWhatThievesSee) {
  HandOverPrice price(nanoseconds(150));
  note_times(price, 7, nanoseconds(260));
  EXPECT_EQ(price.ns(), 150U) << "too few samples";
  price.note(nanoseconds(260));
  EXPECT_EQ(price.ns(), 450U);
  note_times(price, 8, nanoseconds(60));
  EXPECT_EQ(price.ns(), 150U);
}

TEST(HandOverPriceTest, D11_WhatOtherProgramsAddDoesNotCount) {
  HandOverPrice price(nanoseconds(150));
  note_times(price, 5, microseconds(900));
  note_times(price, 3, nanoseconds(60));
  EXPECT_EQ(price.ns(), 150U);
}

TEST(HandOverPriceTest, D11_ALuckySampleOrTwoDoNotCount) {
  HandOverPrice price(nanoseconds(450));
  note_times(price, 2, nanoseconds(10));
  note_times(price, 6, nanoseconds(260));
  EXPECT_EQ(price.ns(), 450U);
}

TEST(HandOverPriceTest, D11_ASmallChangeIsNone) {
  HandOverPrice price(nanoseconds(450));
  note_times(price, 8, nanoseconds(300));
  EXPECT_EQ(price.ns(), 450U);
  note_times(price, 8, nanoseconds(220));
  EXPECT_EQ(price.ns(), 450U);
}

TEST(HandOverPriceTest, D11_APriceIsPossible) {
  HandOverPrice price(nanoseconds(450));
  note_times(price, 8, nanoseconds(-20));
  EXPECT_EQ(price.ns(), kHandOverMin.count());
  note_times(price, 8, std::chrono::seconds(2));
  EXPECT_EQ(price.ns(), kHandOverMax.count());
}

}  // namespace
}  // namespace millrace::runtime
