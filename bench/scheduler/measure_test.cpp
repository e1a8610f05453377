#include "scheduler/measure.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/engine.h"
#include "scheduler/placement.h"
#include "scheduler/result.h"
#include "scheduler/shape.h"
#include "scheduler/suite.h"
#include "scheduler/workload.h"
#include "support/allocation_count.h"

namespace millrace::bench {
namespace {

// A fake engine: runs the nodes in the given order, right or wrong, and reports one woken thread
// per DAG.
class ScriptedDag final : public PreparedDag {
 public:
  ScriptedDag(Workload& workload, const std::vector<NodeIndex>& order) {
    for (const NodeIndex node : order) {
      workload.visit_body(0, node, [&](auto body) { calls_.emplace_back(body); });
    }
  }
  void run(const Repeat& repeat) override {
    repeat_runs(repeat, [&] {
      for (const auto& call : calls_) call();
      garbage_ = std::make_unique<int>();
      ++runs_;
    });
  }
  void run_in_flight(std::uint64_t) override {}
  [[nodiscard]] Tally tally() const override {
    return {.wakes = runs_, .inlined = 3 * runs_, .queued = runs_};
  }
  [[nodiscard]] std::optional<double> trace_queue_delay_ns(std::uint64_t) override { return 42; }

 private:
  std::vector<std::function<void()>> calls_;
  std::unique_ptr<int> garbage_;
  double runs_ = 0;
};

class ScriptedEngine final : public Engine {
 public:
  explicit ScriptedEngine(std::vector<NodeIndex> order) : order_(std::move(order)) {}
  std::unique_ptr<PreparedDag> prepare(Workload& workload) override {
    return std::make_unique<ScriptedDag>(workload, order_);
  }

 private:
  std::vector<NodeIndex> order_;
};

Effort tiny_effort() {
  return {.repetitions = 3,
          .sample_time = std::chrono::microseconds(20),
          .warm_up_time = std::chrono::microseconds(20),
          .warm_up_runs = 1,
          .rest = std::chrono::microseconds(0)};
}

Measurement measure(const std::vector<NodeIndex>& order, Mode mode, double unit_ns) {
  Case entry;
  entry.name = "chain_3";
  entry.shape = make_chain(3);
  entry.body = unit_ns == 0 ? "empty" : "some";
  entry.unit_ns = unit_ns;
  entry.mode = mode;
  ScriptedEngine engine(order);
  const Placement placement(false);
  const Bench bench{.placement = placement,
                    .steps_per_ns = 1,
                    .engines = {{.name = "scripted", .engine = &engine}}};
  return measure_case(entry, bench, tiny_effort()).front();
}

TEST(MeasureTest, ReportsWhatTheEngineDid) {
  const Measurement result = measure({0, 1, 2}, Mode::kSubmitAndWait, 0);
  EXPECT_TRUE(result.correct);
  EXPECT_EQ(result.engine, "scripted");
  EXPECT_EQ(result.node_count, 3U);
  EXPECT_EQ(result.dag_ns.size(), 3U);
  EXPECT_EQ(result.ideal_ns, 0);
  if (allocation_count()) EXPECT_EQ(result.allocs_per_run, 1);
  EXPECT_EQ(result.wakes_per_run, 1);
  EXPECT_EQ(result.inline_rate, 0.75);
  EXPECT_EQ(result.queue_delay_ns, 42);
  ASSERT_TRUE(result.p50_us.has_value());
  EXPECT_LE(result.p50_us, result.p99_us);
}

TEST(MeasureTest, IdealOfAChainIsThreeBodies) {
  const Measurement result = measure({0, 1, 2}, Mode::kSubmitAndWait, 1000);
  EXPECT_GT(result.ideal_ns, 0);
  EXPECT_TRUE(result.correct);
}

TEST(MeasureTest, FindsAnEngineThatBreaksTheOrder) {
  EXPECT_FALSE(measure({0, 2, 1}, Mode::kSubmitAndWait, 0).correct);
  EXPECT_FALSE(measure({0, 2, 1}, Mode::kSubmitAndWait, 100'000).correct);
  EXPECT_FALSE(measure({0, 2, 1}, Mode::kCold, 100).correct);
}

TEST(MeasureTest, FindsAnEngineThatLosesOrRepeatsANode) {
  EXPECT_FALSE(measure({0, 1}, Mode::kSubmitAndWait, 0).correct);
  EXPECT_FALSE(measure({0, 1, 1, 2}, Mode::kSubmitAndWait, 0).correct);
}

TEST(MeasureTest, ColdRunsAreTimedOncePerRepetition) {
  const Measurement result = measure({0, 1, 2}, Mode::kCold, 100);
  EXPECT_EQ(result.dag_ns.size(), 3U);
  EXPECT_TRUE(result.correct);
  EXPECT_FALSE(result.wakes_per_run.has_value());
}

}  // namespace
}  // namespace millrace::bench
