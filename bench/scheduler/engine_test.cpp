#include "scheduler/engine.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "scheduler/shape.h"
#include "scheduler/suite.h"
#include "scheduler/workload.h"

namespace millrace::bench {
namespace {

class EngineTest : public testing::TestWithParam<EngineEntry> {};

TEST_P(EngineTest, RunsEveryNodeOnceAndInOrder) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    const std::unique_ptr<Engine> engine = GetParam().make(workers);
    for (const Case& entry : make_suite(0.01)) {
      if (entry.mode == Mode::kInFlight) continue;
      Workload workload(entry.shape, entry.body == "empty" ? 0 : 1, 1);
      const std::unique_ptr<PreparedDag> dag = engine->prepare(workload);
      workload.begin_verified();
      dag->run({.count = 20});
      EXPECT_TRUE(workload.check(20)) << entry.name << " on " << workers;
    }
  }
}

TEST_P(EngineTest, RunsAsManyGraphsInFlightAsAsked) {
  const Shape shape = make_ranking();
  for (const unsigned workers : {1U, 2U, 4U}) {
    const std::unique_ptr<Engine> engine = GetParam().make(workers);
    Workload workload(shape, 0, 8);
    const std::unique_ptr<PreparedDag> dag = engine->prepare(workload);
    for (const std::uint64_t count : {1U, 8U, 1000U}) {
      workload.begin_verified();
      dag->run_in_flight(count);
      EXPECT_TRUE(workload.check(count)) << count << " on " << workers;
    }
  }
}

TEST_P(EngineTest, RecordsOneLatencyPerRun) {
  const std::unique_ptr<Engine> engine = GetParam().make(1);
  const Shape shape = make_chain(4);
  Workload workload(shape, 0, 1);
  const std::unique_ptr<PreparedDag> dag = engine->prepare(workload);
  std::vector<base::Duration> latency;
  dag->run({.count = 5, .latency = &latency});
  EXPECT_EQ(latency.size(), 5U);
}

TEST_P(EngineTest, OursTellsHowLongQueuedNodesWaited) {
  const std::unique_ptr<Engine> engine = GetParam().make(2);
  const Shape shape = make_fan(16);
  Workload workload(shape, 0, 1);
  const std::unique_ptr<PreparedDag> dag = engine->prepare(workload);
  workload.begin_verified();
  const std::optional<double> delay = dag->trace_queue_delay_ns(5);
  const bool is_ours = GetParam().name.starts_with("millrace");
  ASSERT_EQ(delay.has_value(), is_ours);
  if (!delay) return;
  EXPECT_GE(*delay, 0);
  EXPECT_LT(*delay, 60e9);  // a plausible time, not an overflow
  EXPECT_TRUE(workload.check(5));
}

INSTANTIATE_TEST_SUITE_P(AllEngines,
                         EngineTest,
                         testing::ValuesIn(engine_entries().begin(), engine_entries().end()),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           for (char& symbol : name) symbol = symbol == '-' ? '_' : symbol;
                           return name;
                         });

}  // namespace
}  // namespace millrace::bench
