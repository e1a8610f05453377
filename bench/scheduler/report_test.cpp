#include "scheduler/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scheduler/options.h"
#include "scheduler/result.h"

namespace millrace::bench {
namespace {

using testing::HasSubstr;

Report make_small_report() {
  ProcessResult process;
  for (const char* engine : {"serial", "millrace"}) {
    Measurement measurement;
    measurement.shape = "chain_64";
    measurement.body = "empty";
    measurement.engine = engine;
    measurement.workers = 1;
    measurement.node_count = 64;
    measurement.dag_ns = {64};
    process.measurements.push_back(measurement);
  }
  process.measurements[1].dag_ns = {190, 192, 194};
  process.measurements[1].wakes_per_run = 0.5;
  Options options;
  options.tables = true;
  options.commit = "a \"quoted\" \\ name";
  return make_report(options, {process});
}

TEST(ReportTest, TextShowsRatiosToTheSerialLoop) {
  const std::string text = print_text(make_small_report());
  EXPECT_THAT(text, HasSubstr("chain_64"));
  EXPECT_THAT(text, HasSubstr("3 ±1%  3.00x"));
  EXPECT_THAT(text, HasSubstr("geometric mean"));
  EXPECT_THAT(text, HasSubstr("----  empty, 1 worker: ours / serial, mean"));
}

TEST(ReportTest, ShapesAreShownOnDemandOnly) {
  Report report = make_small_report();
  report.options.tables = false;
  const std::string text = print_text(report);
  EXPECT_THAT(text, testing::Not(HasSubstr("chain_64")));
  EXPECT_THAT(text, testing::ContainsRegex("empty, 1 worker .*3 +3\\.00x"));
}

TEST(ReportTest, JsonHasTheDocumentedKeys) {
  const nlohmann::json json = nlohmann::json::parse(print_json(make_small_report()));
  EXPECT_EQ(json["commit"], "a \"quoted\" \\ name");
  ASSERT_EQ(json["rows"].size(), 2U);
  const nlohmann::json& row = json["rows"][1];
  EXPECT_EQ(row["shape"], "chain_64");
  EXPECT_EQ(row["body"], "empty");
  EXPECT_EQ(row["workers"], 1);
  EXPECT_EQ(row["engine"], "millrace");
  EXPECT_EQ(row["ns_per_node"], 3);
  EXPECT_DOUBLE_EQ(row["dags_per_s"], 5.20833e6);
  EXPECT_EQ(row["wakes_per_run"], 0.5);
  for (const char* key : {"allocs_per_run", "inline_rate", "queue_delay_ns", "p50_us", "p99_us"}) {
    EXPECT_TRUE(row.at(key).is_null()) << key;
  }
  EXPECT_TRUE(json["bars"][0]["passed"].is_null());
}

TEST(ReportTest, WarnsWhenOthersUsedTheMachine) {
  Report report = make_small_report();
  EXPECT_THAT(print_text(report), testing::Not(HasSubstr("WARNING")));
  report.processes[0].machine.foreign_share = 0.2;
  EXPECT_THAT(print_text(report), HasSubstr("others used 20 %"));
}

TEST(ReportTest, BarsOfPinnedThreadsStandBesideTheOthers) {
  Report report = make_small_report();
  EXPECT_THAT(print_text(report), testing::Not(HasSubstr("pinned threads")));
  report.pinned_bars = report.bars;
  report.bars.front().value = 1.25;
  report.pinned_bars.front().value = 7.75;
  EXPECT_THAT(print_text(report), testing::ContainsRegex("1\\.25 .*<= 1\\.5 +7\\.75"));
  const nlohmann::json json = nlohmann::json::parse(print_json(report));
  EXPECT_EQ(json["pinned_bars"][0]["value"], 7.75);
}

TEST(ReportTest, WrongResultsAreMarked) {
  Report report = make_small_report();
  report.summaries[1].joined.correct = false;
  EXPECT_THAT(print_text(report), HasSubstr("WRONG"));
}

}  // namespace
}  // namespace millrace::bench
