#include "apps/rankd/bench.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/rankd_fixture.h"
#include "base/format.h"

namespace millrace::rankd::testing {
namespace {

using ::testing::HasSubstr;

using std::chrono_literals::operator""us;

TEST(BenchTest, PercentilesAreOfTheSortedLatencies) {
  BenchResult result;
  EXPECT_EQ(result.percentile(0.5), base::Duration(0));
  for (int us = 1; us <= 100; ++us) result.latencies.emplace_back(us * 1us);
  EXPECT_EQ(result.percentile(0.5), 50us);
  EXPECT_EQ(result.percentile(0.99), 99us);
  EXPECT_EQ(result.percentile(1), 100us);
  EXPECT_EQ(result.percentile(0), 1us);
}

TEST(BenchTest, CLI6_WarnsWhenReadsWereShared) {
  BenchResult result;
  result.requests = 100;
  result.store.commands = 2;
  EXPECT_THAT(to_text(result), ::testing::Not(HasSubstr("warning")));
  result.shared_keys = 98;
  EXPECT_THAT(to_text(result), HasSubstr("warning         98 % of the keys were not read"));
  EXPECT_THAT(to_json(result), HasSubstr(R"("shared_keys_per_request":0.98)"));
}

TEST(BenchTest, CLI6_RunsAsManyRequestsAsAsked) {
  Flags flags = repository_flags();
  flags.plan_name = "complex_dag";
  flags.loops = 2;
  flags.bench_count = 40;
  flags.bench_concurrency = 8;
  const auto project = open_project(flags);
  const auto engine = start_engine(flags, *project);
  const BenchResult result = run_bench(*engine, flags, make_request_mix(flags).value(), StopFlag());
  EXPECT_EQ(result.plan, "complex_dag");
  EXPECT_EQ(result.requests, 40);
  EXPECT_EQ(result.failed, 0) << result.first_error;
  EXPECT_EQ(result.latencies.size(), 40U);
  EXPECT_TRUE(std::is_sorted(result.latencies.begin(), result.latencies.end()));
  EXPECT_GT(result.store.commands, 0U);
  EXPECT_EQ(result.shared_keys, 0U);  // embedded data shares nothing
  // The viewer, then two lists of users at the same time, then two of media.
  EXPECT_EQ(result.store.round_trips, 3U * 40U);
  EXPECT_EQ(result.store.batches, 5U * 40U);
  EXPECT_EQ(result.pool.executed + result.pool.executed_on_loops, 9U * 40U);
  ASSERT_TRUE(result.queue_delay);
  EXPECT_THAT(to_text(result), HasSubstr("us per queued node"));
  EXPECT_THAT(to_text(result), HasSubstr("40 (0 failed, 0 refused), 8 at a time; users 1 to 100"));
  EXPECT_THAT(to_json(result),
              HasSubstr(R"({"plan":"complex_dag","requests":40,"failed":0,"refused":0,)"));
}

TEST(BenchTest, B1_CLI6_RefusalsAreNeitherFailuresNorLatencies) {
  const TempFolder folder;
  Flags flags = repository_flags();
  flags.plan_files = {folder.write("nap.plan.json", R"({
    "schema_version": 1, "name": "nap", "outputs": ["s"], "output_keys": ["id"],
    "nodes": [{"id": "f", "op": "fixed_source", "inputs": [], "params": {"row_count": 1}},
              {"id": "s", "op": "sleep", "inputs": ["f"], "params": {"duration_ms": 5}}]})")};
  flags.plan_name = "nap";
  flags.bench_count = 200;
  flags.bench_concurrency = 20;
  flags.inflight_max = 1;
  const auto project = open_project(flags);
  const auto engine = start_engine(flags, *project);
  const BenchResult result = run_bench(*engine, flags, make_request_mix(flags).value(), StopFlag());
  EXPECT_EQ(result.failed, 0) << result.first_error;
  EXPECT_EQ(static_cast<std::int64_t>(result.latencies.size()), result.answered());
  EXPECT_GT(result.answered(), 0);
  // While one request sleeps the others ask.
  EXPECT_GT(result.refused, 0);
  EXPECT_THAT(to_text(result),
              HasSubstr(base::format("200 (0 failed, {} refused)", result.refused)));
  EXPECT_THAT(to_json(result), HasSubstr(base::format(R"("refused":{},)", result.refused)));
}

TEST(BenchTest, CLI10_AStoppedBenchGivesTheFiguresSoFar) {
  Flags flags = repository_flags();
  flags.plan_name = "simple_plan";
  flags.bench_count = 1'000'000'000;
  const auto project = open_project(flags);
  const auto engine = start_engine(flags, *project);
  StopFlag stop;
  stop.raise();
  const BenchResult result = run_bench(*engine, flags, make_request_mix(flags).value(), stop);
  EXPECT_EQ(result.requests, 0);
  EXPECT_EQ(result.failed, 0);
  EXPECT_THAT(to_text(result), HasSubstr("0 (0 failed, 0 refused)"));
}

TEST(BenchTest, AnswersThatComeAtOnceAreCountedToo) {
  // A refused request is answered before `start` returns.
  Flags flags = repository_flags();
  flags.plan_name = "simple_plan";
  flags.bench_count = 30;
  flags.bench_concurrency = 50;
  flags.bench_request = R"({"user_id": 1, "nonsense": 1})";
  const auto project = open_project(flags);
  const auto engine = start_engine(flags, *project);
  const BenchResult result = run_bench(*engine, flags, make_request_mix(flags).value(), StopFlag());
  EXPECT_EQ(result.failed, 30);
  EXPECT_EQ(result.latencies.size(), 30U);
  EXPECT_THAT(to_text(result), HasSubstr("unknown_field"));
  EXPECT_FALSE(result.queue_delay);
  EXPECT_THAT(to_json(result), HasSubstr(R"("queue_delay_us":null)"));
}

}  // namespace
}  // namespace millrace::rankd::testing
