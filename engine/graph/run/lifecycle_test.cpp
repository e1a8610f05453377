#include "graph/run/lifecycle.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/result.h"
#include "graph/body/component.h"
#include "graph/payload.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"

namespace millrace::graph {
namespace {

/// Writes down what happens to it, and fails where it is told to.
class Diary final : public Component {
 public:
  Diary(std::string& log, std::string fails_at) : log_(log), fails_at_(std::move(fails_at)) {}
  base::Status configure(const ComponentSetup& setup) override {
    id_ = std::string(setup.id);
    return note("configure");
  }
  base::Status activate() override { return note("activate"); }
  base::Status restore(const Payload& snapshot) override {
    return note("restore" + snapshot.to_json());
  }
  base::Status reset() override { return note("reset"); }
  base::Status execute(const Invocation&, GraphContext& context) override {
    context.finish();
    return note("execute");
  }
  base::Result<std::optional<Payload>> snapshot() override {
    if (auto status = note("snapshot"); !status) return std::unexpected(status.error());
    return Payload(std::int64_t{7});
  }
  base::Status deactivate() override { return note("deactivate"); }

 private:
  base::Status note(const std::string& what) {
    log_ += id_ + "." + what + " ";
    if (what == fails_at_) return base::fail(base::ErrorCode::kNodeFailed, "as told");
    return {};
  }

  std::string& log_;
  std::string fails_at_;
  std::string id_;
};

struct LifecycleTest : testing::Test {
  std::string log;

  RuntimeRunnerResult run(const std::string& fails_at,
                          std::vector<ComponentSnapshot> snapshots = {}) {
    TestTypes types;
    types.add("t.Diary", [this] { return std::make_unique<Diary>(log, ""); });
    types.add("t.Fails", [this, fails_at] { return std::make_unique<Diary>(log, fails_at); });
    RuntimeRunnerOptions options;
    options.snapshots = std::move(snapshots);
    return run_graph(
        {.components = {"id: a, type: t.Fails, depends_on: [b], execution: {lane: main}",
                        "id: b, type: t.Diary, execution: {lane: main}"}},
        options,
        types);
  }
};

TEST_F(LifecycleTest, G48_ConfiguresAllThenActivatesAllByDependency) {
  const auto result = run("", {{.component = "a", .state = Payload(std::int64_t{5})}});
  EXPECT_EQ(log,
            "b.configure a.configure b.activate a.activate a.restore5 b.reset a.reset a.execute "
            "b.execute b.snapshot a.snapshot a.deactivate b.deactivate ");
  EXPECT_TRUE(result.ok);
  ASSERT_EQ(result.snapshots.size(), 2U);
  EXPECT_EQ(result.snapshots.front().component, "b");
}

TEST_F(LifecycleTest, G46_WhatWasActivatedIsDeactivatedInReverse) {
  const auto result = run("activate");
  EXPECT_EQ(log, "b.configure a.configure b.activate a.activate b.deactivate ");
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().phase, "activate");
  EXPECT_EQ(result.errors.front().code, "component_activate");
  EXPECT_EQ(result.scheduler_stop_reason, SchedulerStopReason::kError);
}

TEST_F(LifecycleTest, EveryPhaseHasItsErrorCode) {
  for (const char* phase :
       {"configure", "activate", "reset", "execute", "snapshot", "deactivate"}) {
    const auto result = run(phase);
    ASSERT_EQ(result.errors.size(), 1U) << phase;
    EXPECT_EQ(result.errors.front().phase, phase);
    EXPECT_EQ(result.errors.front().code, std::string("component_") + phase);
    EXPECT_EQ(result.errors.front().message, "as told");
    EXPECT_FALSE(result.ok);
  }
  const auto restore = run("restore5", {{.component = "a", .state = Payload(std::int64_t{5})}});
  EXPECT_EQ(restore.errors.front().code, "component_restore");
}

TEST(Lifecycle, ATypeWithoutFactoryCannotBeRun) {
  ComponentRegistry registry = builtin_registry();
  ASSERT_TRUE(registry.add({.type = "t.Drawn", .about = ""}));
  const auto compiled =
      compile_text(RunText{.components = {"id: a, type: t.Drawn, execution: {lane: main}"}}.text(),
                   TextFormat::kYaml,
                   registry);
  ASSERT_TRUE(compiled.graph);
  const auto result =
      RuntimeRunner::run(*compiled.graph, registry, {.steps = 1, .virtual_time = true});
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().code, "component_configure");
}

}  // namespace
}  // namespace millrace::graph
