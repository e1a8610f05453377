#include "runtime/flow.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/result.h"
#include "runtime/run.h"
#include "runtime/worker_pool.h"

namespace millrace::runtime {
namespace {

using base::Status;
using testing::HasSubstr;

std::unique_ptr<WorkerPool> make_pool(std::uint32_t workers) {
  return *WorkerPool::create({.compute_threads = workers});
}

struct Request {
  int user = 0;
  std::vector<int> candidates = {};
  int best = 0;
};

TEST(FlowTest, RunsALambdaFlowOnManyContextsAtOnce) {
  // snippet-begin: lambda_flow
  FlowBuilder<Request> builder;
  builder.cpu("fetch", [](Request& request) { request.candidates = {3, 1, request.user}; })
      .cpu("score",
           [](Request& request) {
             for (int& c : request.candidates) c *= 10;
           },
           {.after = {"fetch"}})
      .cheap("take",
             [](Request& request) { request.best = request.candidates.back(); },
             {.after = {"score"}});
  auto flow = builder.build();
  auto pool = WorkerPool::create({.compute_threads = 2});
  Request request{.user = 7};
  const Status status = flow->run(**pool, request);  // the calling thread helps
  // snippet-end: lambda_flow
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(request.best, 70);

  constexpr int kClientCount = 4;
  std::vector<std::jthread> clients;
  clients.reserve(kClientCount);
  for (int client = 0; client < kClientCount; ++client) {
    clients.emplace_back([&, client] {
      for (int turn = 0; turn < 200; ++turn) {
        Request mine{.user = client * 1000 + turn};
        ASSERT_TRUE(flow->run(**pool, mine).has_value());
        EXPECT_EQ(mine.best, mine.user * 10);
      }
    });
  }
}

TEST(FlowTest, C4_AnErrorNamesNodeAndOp) {
  FlowBuilder<Request> builder;
  builder
      .cpu("bad",
           [](Request&) -> Status {
             return base::fail(base::ErrorCode::kUnavailable, "Peer down: x");
           },
           {.op = "lookup"})
      .cpu("after", [](Request& request) { request.best = 1; }, {.after = {"bad"}});
  const auto flow = builder.build();
  Request request;
  const Status status = flow->run(*make_pool(1), request);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), base::ErrorCode::kUnavailable);
  EXPECT_EQ(status.error().to_string(), "unavailable: Peer down: x (at node 'bad' (op lookup))");
  EXPECT_EQ(request.best, 0);
}

TEST(FlowTest, C6_AnExceptionIsAnErrorOfItsNode) {
  FlowBuilder<Request> builder;
  builder.cpu("throws", [](Request& request) {
    if (request.user == 1) throw std::runtime_error("no luck");
    if (request.user == 2) throw 42;
  });
  const auto flow = builder.build();
  const auto pool = make_pool(2);
  Request first{.user = 1};
  EXPECT_THAT(flow->run(*pool, first).error().message(), HasSubstr("The body threw: no luck"));
  Request second{.user = 2};
  EXPECT_THAT(flow->run(*pool, second).error().message(), HasSubstr("not a std::exception"));
  Request third{.user = 3};  // one failing run never touches another
  EXPECT_TRUE(flow->run(*pool, third).has_value());
}

TEST(FlowTest, AFailedRunLeavesNothingBehindForTheNext) {
  FlowBuilder<Request> builder;
  builder.cpu("a", [](Request&) {})
      .cpu("b",
           [](Request& request) -> Status {
             if (request.user < 0) return base::fail(base::ErrorCode::kNodeFailed, "Negative user");
             return {};
           },
           {.after = {"a"}})
      .cpu("c", [](Request& request) { request.best = 5; }, {.after = {"a", "b"}});
  const auto flow = builder.build();
  const auto pool = make_pool(2);
  for (int turn = 0; turn < 100; ++turn) {
    Request bad{.user = -1};
    EXPECT_FALSE(flow->run(*pool, bad).has_value());
    Request good{.user = 1};
    EXPECT_TRUE(flow->run(*pool, good).has_value());
    EXPECT_EQ(good.best, 5);
  }
  EXPECT_EQ(flow->runs().created_count(), 1U);
}

TEST(FlowTest, D1_AChainOfAMillionCheapNodesNeedsNoStack) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  constexpr int kLength = 100'000;  // the full length only in builds without sanitizers
#else
  constexpr int kLength = 1'000'000;
#endif
  struct Depth {
    std::uintptr_t lowest = UINTPTR_MAX;
    std::uintptr_t highest = 0;
    int count = 0;
  };
  FlowBuilder<Depth> builder;
  for (int node = 0; node < kLength; ++node) {
    NodeOptions options;
    if (node > 0) options.after.push_back(std::to_string(node - 1));
    builder.cheap(
        std::to_string(node),
        [](Depth& depth) {
          const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
          depth.lowest = std::min(depth.lowest, here);
          depth.highest = std::max(depth.highest, here);
          ++depth.count;
        },
        std::move(options));
  }
  const auto flow = builder.build();
  Depth depth;
  ASSERT_TRUE(flow->run(*make_pool(1), depth).has_value());
  EXPECT_EQ(depth.count, kLength);
  EXPECT_LT(depth.highest - depth.lowest, 4096U);
}

TEST(FlowTest, ABodyMayRunAFlow) {
  struct Inner {
    std::atomic<int> sum{0};
  };
  FlowBuilder<Inner> inner_builder;
  for (int node = 0; node < 8; ++node)
    inner_builder.cpu("i" + std::to_string(node), [](Inner& inner) { ++inner.sum; });
  const auto inner_flow = inner_builder.build();
  for (const std::uint32_t workers : {1U, 2U, 4U}) {
    const auto pool = make_pool(workers);
    struct Outer {
      WorkerPool& pool;
      const Flow<Inner>& flow;
      std::atomic<int> sum{0};
    };
    FlowBuilder<Outer> outer_builder;
    for (int node = 0; node < 8; ++node) {
      outer_builder.cpu("o" + std::to_string(node), [](Outer& outer) -> Status {
        Inner inner;
        MR_TRY_STATUS(outer.flow.run(outer.pool, inner));
        outer.sum += inner.sum;
        return {};
      });
    }
    const auto outer_flow = outer_builder.build();
    for (int turn = 0; turn < 50; ++turn) {
      Outer outer{*pool, *inner_flow};
      ASSERT_TRUE(outer_flow->run(*pool, outer).has_value());
      EXPECT_EQ(outer.sum, 64);
    }
  }
}

TEST(FlowTest, RefusesWhatCannotWork) {
  FlowBuilder<Request> builder;
  builder.cpu("a",
              Replaceable{.body = [] { return 1; },
                          .commit = &Request::best,
                          .timeout = std::chrono::milliseconds(1)});
  const auto flow = builder.build();
  const auto pool = make_pool(2);
  Request request;
  EXPECT_THAT(flow->run(*pool, request).error().message(),
              HasSubstr("has timeouts: set RunOptions::loop"));
  FlowBuilder<Request> plain_builder;
  plain_builder.cpu("a", [](Request&) {});
  const auto plain = plain_builder.build();
  const RunOptions late{.deadline = base::TimePoint{}};
  EXPECT_THAT(plain->run(*pool, request, late).error().message(),
              HasSubstr("A deadline needs a loop"));
  const auto lonely = make_pool(1);
  EXPECT_THAT(plain->submit(*lonely, std::make_shared<Request>()).error().message(),
              HasSubstr("A pool without threads"));
}

TEST(FlowTest, RefusesBadSettings) {
  EXPECT_FALSE(WorkerPool::create({.compute_threads = 65}).has_value());
  EXPECT_FALSE(WorkerPool::create({.compute_threads = 1, .starvation_guard_every = 0}).has_value());
  EXPECT_FALSE(WorkerPool::create({.compute_threads = 1, .spin_time = std::chrono::nanoseconds(-1)})
                   .has_value());
  EXPECT_FALSE(
      WorkerPool::create({.compute_threads = 1, .watch_period = std::chrono::nanoseconds(0)})
          .has_value());
  FlowBuilder<Request> builder;
  builder.cpu("a", [](Request&) {});
  EXPECT_FALSE(builder.build({.samples_min = 0}).has_value());
}

}  // namespace
}  // namespace millrace::runtime
