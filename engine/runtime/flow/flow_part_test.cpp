#include "runtime/flow/flow_part.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/result.h"
#include "loop/awaitables.h"
#include "loop/event_loop.h"
#include "runtime/flow.h"
#include "runtime/worker_pool.h"

namespace millrace::runtime {
namespace {

using base::Status;
using testing::ElementsAre;
using testing::HasSubstr;

struct Half {
  int in = 0;
  int left = 0;
  int right = 0;
  int out = 0;
};
struct Whole {
  Half first;
  Half second;
  int sum = 0;
};

/// A diamond whose right side may fail and is then replaced.
Flow<Half> build_half() {
  FlowBuilder<Half> builder;
  builder.cpu("left", [](Half& half) { half.left = half.in + 1; })
      .cpu("right",
           Replaceable{.input = &Half::in,
                       .body = [](int in) -> base::Result<int> {
                         if (in >= 0) return in * 10;
                         return base::fail(base::ErrorCode::kUnavailable, "Negative");
                       },
                       .commit = &Half::right,
                       .or_else_node = "zero"})
      .cpu("zero", [](Half& half) { half.right = 0; })
      .cheap("out",
             [](Half& half) { half.out = half.left + half.right; },
             {.after = {"left", "right"}});
  auto flow = builder.build();
  MR_CHECK(flow.has_value(), flow ? "" : flow.error().to_string());
  return *std::move(flow);
}

std::vector<std::string> ids_of(const Topology& topology) {
  std::vector<std::string> ids;
  for (std::uint32_t node = 0; node < topology.node_count(); ++node)
    ids.emplace_back(topology.id(node));
  return ids;
}

TEST(FlowPartTest, AFlowIsANodeOfAnotherMoreThanOnce) {
  FlowBuilder<Whole> builder;
  {
    const Flow<Half> half = build_half();  // is gone before the outer flow runs
    builder
        .cpu("load",
             [](Whole& whole) {
               whole.first.in = 1;
               whole.second.in = -5;
             })
        .flow("first", half, &Whole::first, {.after = {"load"}})
        .flow("second",
              half,
              [](Whole& whole) -> Half& { return whole.second; },
              {.after = {"first", "load"}})
        .cheap("sum",
               [](Whole& whole) { whole.sum = whole.first.out + whole.second.out; },
               {.after = {"first", "second"}});
  }
  const auto flow = builder.build();
  ASSERT_TRUE(flow.has_value()) << flow.error().to_string();
  EXPECT_THAT(ids_of(flow->topology()),
              ElementsAre("load",
                          "first/left",
                          "first/right",
                          "first/zero",
                          "first/out",
                          "first",
                          "second/(begin)",
                          "second/left",
                          "second/right",
                          "second/zero",
                          "second/out",
                          "second",
                          "sum"));
  const auto pool = *WorkerPool::create({.compute_threads = 2});
  for (int turn = 0; turn < 20; ++turn) {
    Whole whole;
    ASSERT_TRUE(flow->run(*pool, whole).has_value());
    EXPECT_EQ(whole.first.out, 12);   // 1 + 1 and 10
    EXPECT_EQ(whole.second.out, -4);  // -5 + 1 and the stand-in's 0
    EXPECT_EQ(whole.sum, 8);
  }
}

TEST(FlowPartTest, AnErrorNamesTheInnerNode) {
  FlowBuilder<Half> inner;
  inner.cpu("bad",
            [](Half&) -> Status { return base::fail(base::ErrorCode::kUnavailable, "Peer down"); });
  FlowBuilder<Whole> builder;
  builder.flow("half", *inner.build(), &Whole::second);
  const auto flow = builder.build();
  Whole whole;
  const Status status = flow->run(**WorkerPool::create({.compute_threads = 1}), whole);
  ASSERT_FALSE(status.has_value());
  EXPECT_THAT(status.error().to_string(), HasSubstr("at node 'half/bad'"));
}

TEST(FlowPartTest, AsyncNodesAndPartsOfPartsFindTheirContext) {
  struct Leaf {
    loop::Loop* loop = nullptr;
    int value = 0;
  };
  struct Branch {
    Leaf leaf;
  };
  struct Tree {
    Branch branch;
  };
  FlowBuilder<Leaf> leaf;
  leaf.async("wait", [](AsyncCall<Leaf> call) -> loop::Task<Status> {
    MR_CO_TRY_STATUS(co_await loop::sleep_for(*call.context().loop, std::chrono::microseconds(1)));
    call.context().value = 3;
    co_return Status{};
  });
  FlowBuilder<Branch> branch;
  branch.flow("leaf", *leaf.build(), &Branch::leaf);
  FlowBuilder<Tree> builder;
  builder.flow("branch", *branch.build(), &Tree::branch, {.priority = Priority::kHigh});
  const auto flow = builder.build();
  ASSERT_TRUE(flow.has_value());
  EXPECT_EQ(flow->topology().id(0), "branch/leaf/wait");
  EXPECT_EQ(flow->topology().spec(0).priority, Priority::kHigh);
  const auto loop = *loop::EventLoop::create();
  const auto pool = *WorkerPool::create({.compute_threads = 2});
  Tree tree{.branch = {.leaf = {.loop = loop.get()}}};
  ASSERT_TRUE(flow->run(*pool, tree, {.loop = loop.get()}).has_value());
  EXPECT_EQ(tree.branch.leaf.value, 3);
}

TEST(FlowPartTest, AnUnknownProducerIsNamed) {
  FlowBuilder<Whole> builder;
  builder.flow("half", build_half(), &Whole::first, {.after = {"nobody"}});
  const auto flow = builder.build();
  ASSERT_FALSE(flow.has_value());
  EXPECT_THAT(flow.error().to_string(), HasSubstr("nobody"));
}

}  // namespace
}  // namespace millrace::runtime
