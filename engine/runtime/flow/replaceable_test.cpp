#include "runtime/flow/replaceable.h"

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/result.h"
#include "loop/awaitables.h"
#include "loop/event_loop.h"
#include "loop/task.h"
#include "runtime/flow.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/worker_pool.h"

namespace millrace::runtime {
namespace {

using base::Result;
using base::Status;
using std::chrono::milliseconds;
using testing::HasSubstr;

struct Visit {
  int viewer = 0;
  loop::Loop* loop = nullptr;
  std::shared_ptr<std::latch> gate = {};
  std::string name = {};
  int after = 0;
};

/// Two threads of its own, so that a body that blocks leaves one.
struct Machine {
  std::unique_ptr<loop::EventLoop> loop = *loop::EventLoop::create();
  std::unique_ptr<WorkerPool> pool =
      *WorkerPool::create({.compute_threads = 2, .callers_help = false});

  Status run(const Flow<Visit>& flow,
             const std::shared_ptr<Visit>& visit,
             RunOptions options = {}) {
    options.loop = loop.get();
    return flow.run(*pool, visit, options);
  }
};

Flow<Visit> build(FlowBuilder<Visit>& builder) {
  auto flow = builder.build();
  MR_CHECK(flow.has_value(), flow ? "" : flow.error().to_string());
  return *std::move(flow);
}

std::string name_of(int viewer) { return "viewer " + std::to_string(viewer); }

TEST(ReplaceableTest, TheBodyGetsACopyAndItsValueIsCommitted) {
  Machine machine;
  FlowBuilder<Visit> builder;
  builder.cpu("name", Replaceable{.input = &Visit::viewer, .body = name_of, .commit = &Visit::name})
      .cheap("after", [](Visit& visit) { visit.after = visit.viewer; }, {.after = {"name"}});
  const Flow<Visit> flow = build(builder);
  const auto visit = std::make_shared<Visit>(Visit{.viewer = 7});
  ASSERT_TRUE(machine.run(flow, visit).has_value());
  EXPECT_EQ(visit->name, "viewer 7");
  EXPECT_EQ(visit->after, 7);
}

TEST(ReplaceableTest, C3_ALateBodyNeitherReadsNorWritesTheContext) {
  Machine machine;
  FlowBuilder<Visit> builder;
  const auto wait_and_name = [](std::shared_ptr<std::latch> gate, NodeCall& call) {
    EXPECT_EQ(call.context(), nullptr);  // not even by a cast
    gate->wait();
    return std::string("late");
  };
  builder
      .cpu("name",
           Replaceable{.input = &Visit::gate,
                       .body = wait_and_name,
                       .commit = &Visit::name,
                       .or_else = std::string("instead"),
                       .timeout = milliseconds(1)})
      // Changes what the body was given, while the body still runs.
      .cpu("after", [](Visit& visit) { visit.gate = nullptr; }, {.after = {"name"}});
  const Flow<Visit> flow = build(builder);
  const auto gate = std::make_shared<std::latch>(1);
  const auto visit = std::make_shared<Visit>(Visit{.gate = gate});
  ASSERT_TRUE(machine.run(flow, visit).has_value());
  EXPECT_EQ(visit->name, "instead");
  gate->count_down();
  // The next run uses the same storage; a value that came late is not in it.
  const auto open_gate = std::make_shared<std::latch>(0);
  const auto next = std::make_shared<Visit>(Visit{.gate = open_gate});
  while (!machine.run(flow, next).has_value() || next->name != "late") next->gate = open_gate;
  EXPECT_EQ(visit->name, "instead");
}

TEST(ReplaceableTest, AnAsyncBodyIsReplacedWhenItsTimeIsUp) {
  Machine machine;
  const auto sleep_long = [](loop::Loop* loop, NodeCall call) -> loop::Task<Result<std::string>> {
    MR_CO_TRY_STATUS(co_await loop::sleep_for(*loop, std::chrono::hours(1), call.stop_token()));
    co_return "late";
  };
  FlowBuilder<Visit> builder;
  builder.async("name",
                Replaceable{.input = &Visit::loop,
                            .body = sleep_long,
                            .commit = &Visit::name,
                            .or_else = [](Visit& visit) { visit.name = "instead"; },
                            .timeout = milliseconds(1)});
  const Flow<Visit> flow = build(builder);
  const auto visit = std::make_shared<Visit>(Visit{.loop = machine.loop.get()});
  ASSERT_TRUE(machine.run(flow, visit).has_value());
  EXPECT_EQ(visit->name, "instead");
}

TEST(ReplaceableTest, C8_ABudgetTakesTheFallbackInTime) {
  TestScheduler lab({.compute_threads = 2});  // in virtual time
  const auto sleep_long = [](loop::Loop* loop, NodeCall call) -> loop::Task<Result<std::string>> {
    MR_CO_TRY_STATUS(co_await loop::sleep_for(*loop, std::chrono::hours(1), call.stop_token()));
    co_return "late";
  };
  FlowBuilder<Visit> builder;
  builder.async(
      "name",
      Replaceable{
          .input = &Visit::loop, .body = sleep_long, .commit = &Visit::name, .or_else = "instead"});
  const Flow<Visit> flow = build(builder);
  const auto visit = std::make_shared<Visit>(Visit{.loop = &lab.loop});
  const auto run = flow.submit(*lab.pool, visit, {.budget = milliseconds(20), .loop = &lab.loop});
  ASSERT_TRUE(run.has_value());
  lab.settle();
  EXPECT_EQ(visit->name, "");
  lab.loop.advance(milliseconds(20));
  lab.settle();
  EXPECT_EQ(run->outcome(), RunOutcome::kOk);
  EXPECT_EQ(visit->name, "instead");
}

TEST(ReplaceableTest, ErrorsOfEveryStepAreErrorsOfTheNode) {
  Machine machine;
  const auto message_of = [&machine](auto steps) {
    FlowBuilder<Visit> builder;
    builder.cpu("name", std::move(steps));
    const Flow<Visit> flow = build(builder);
    const Status status = machine.run(flow, std::make_shared<Visit>());
    return status ? std::string("ok") : status.error().to_string();
  };
  EXPECT_THAT(message_of(Replaceable{
                  .input = [](const Visit&) -> int { throw std::runtime_error("no input"); },
                  .body = name_of,
                  .commit = &Visit::name}),
              HasSubstr("The body threw: no input (at node 'name'"));
  EXPECT_THAT(message_of(Replaceable{.body = []() -> Result<std::string> {
                                       return base::fail(base::ErrorCode::kUnavailable, "Down");
                                     },
                                     .commit = &Visit::name}),
              HasSubstr("unavailable: Down"));
  EXPECT_THAT(message_of(Replaceable{.body = [] { return 1; },
                                     .commit = [](Visit&, int) -> Status {
                                       return base::fail(base::ErrorCode::kNodeFailed, "Odd");
                                     }}),
              HasSubstr("Odd"));
}

TEST(ReplaceableTest, AFailedBodyIsReplaced) {
  Machine machine;
  FlowBuilder<Visit> builder;
  builder.cpu("name",
              Replaceable{.body = []() -> std::string { throw std::runtime_error("no"); },
                          .commit = &Visit::name,
                          .or_else = "instead"});
  const Flow<Visit> flow = build(builder);
  const auto visit = std::make_shared<Visit>();
  ASSERT_TRUE(machine.run(flow, visit).has_value());
  EXPECT_EQ(visit->name, "instead");
}

TEST(ReplaceableTest, K5_AStandInRunsOnlyIfItIsNeeded) {
  Machine machine;
  FlowBuilder<Visit> builder;
  builder
      .cpu("name",
           Replaceable{.input = &Visit::viewer,
                       .body = [](int viewer) -> Result<std::string> {
                         if (viewer > 0) return name_of(viewer);
                         return base::fail(base::ErrorCode::kUnavailable, "No such viewer");
                       },
                       .commit = &Visit::name,
                       .or_else_node = "guest"})
      .cpu("guest",
           Replaceable{.body = [] { return std::string("guest"); },
                       .commit =
                           [](Visit& visit, std::string name) {
                             visit.name = std::move(name);
                             ++visit.after;
                           }})
      .cheap("last", [](Visit& visit) { visit.name += "!"; }, {.after = {"name"}});
  const Flow<Visit> flow = build(builder);
  const auto known = std::make_shared<Visit>(Visit{.viewer = 1});
  ASSERT_TRUE(machine.run(flow, known).has_value());
  EXPECT_EQ(known->name, "viewer 1!");
  EXPECT_EQ(known->after, 0);
  const auto unknown = std::make_shared<Visit>();
  ASSERT_TRUE(machine.run(flow, unknown).has_value());
  EXPECT_EQ(unknown->name, "guest!");
  EXPECT_EQ(unknown->after, 1);
}

TEST(ReplaceableTest, AStandInMustNotRunByItself) {
  FlowBuilder<Visit> builder;
  builder
      .cpu("name",
           Replaceable{.body = [] { return 1; }, .commit = &Visit::after, .or_else_node = "guest"})
      .cpu("guest", [](Visit&) {})
      .cpu("last", [](Visit&) {}, {.after = {"name", "guest"}});
  const auto flow = builder.build();
  ASSERT_FALSE(flow.has_value());
  EXPECT_THAT(flow.error().to_string(),
              HasSubstr("give 'name' a node of its own instead of 'guest'"));
}

}  // namespace
}  // namespace millrace::runtime
