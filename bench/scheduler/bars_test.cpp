#include "scheduler/bars.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/result.h"
#include "scheduler/suite.h"

namespace millrace::bench {
namespace {

constexpr Judging kFull{.subject = "ours", .full = true};

void add(ProcessResult& process,
         const std::string& shape,
         const std::string& body,
         const std::string& engine,
         double dag_ns) {
  for (const unsigned workers : {1U, 2U}) {
    Measurement measurement;
    measurement.shape = shape;
    measurement.body = body;
    measurement.engine = engine;
    measurement.workers = workers;
    measurement.ideal_ns = body == "empty" ? 0 : 100;
    measurement.dag_ns = {dag_ns};
    measurement.allocs_per_run = 0;
    measurement.wakes_per_run = 0;
    process.measurements.push_back(measurement);
  }
}

// Makes the figures of a run in which, on empty bodies, the serial loop takes 1, ours 3 and oneTBB
// 20 and 50, and elsewhere ours is 5 % above the ideal.
ProcessResult make_good_process() {
  ProcessResult process;
  for (const Case& entry : make_suite(1)) {
    const bool empty = entry.body == "empty";
    add(process, entry.name, entry.body, "serial", empty ? 1 : 200);
    add(process, entry.name, entry.body, "ours", empty ? 3 : 105);
    add(process, entry.name, entry.body, "millrace-deadline", empty ? 4 : 108);
    add(process, entry.name, entry.body, "tbb-tg", empty ? 20 : 110);
    add(process, entry.name, entry.body, "tbb-fg", empty ? 50 : 120);
    add(process, entry.name, entry.body, "millrace-wait", 200);
    add(process, entry.name, entry.body, "tbb-wait", 210);
  }
  return process;
}

Measurement& find(ProcessResult& process,
                  const std::string& shape,
                  const std::string& body,
                  const std::string& engine = "ours") {
  return *std::ranges::find_if(process.measurements, [&](const Measurement& m) {
    return m.shape == shape && m.body == body && m.workers == 2 && m.engine == engine;
  });
}

std::vector<std::string> failed(const ProcessResult& process) {
  std::vector<std::string> names;
  for (const Bar& bar : evaluate_bars(std::vector{process}, kFull)) {
    if (!bar.passed()) names.push_back(bar.name);
  }
  return names;
}

TEST(BarsTest, GoodRunPassesEveryBar) {
  EXPECT_EQ(failed(make_good_process()), std::vector<std::string>());
}

TEST(BarsTest, NothingPassesWithoutMeasurements) {
  for (const Bar& bar : evaluate_bars(std::vector{ProcessResult{}}, kFull)) {
    EXPECT_FALSE(bar.value.has_value()) << bar.name;
    EXPECT_FALSE(bar.passed()) << bar.name;
  }
}

TEST(BarsTest, OneBadShapeFailsTheBarsThatLookAtTheWorst) {
  ProcessResult process = make_good_process();
  find(process, "fan_64", "empty").dag_ns = {17};
  EXPECT_EQ(failed(process),
            (std::vector<std::string>{"empty, 2 workers: ours / serial, worst shape",
                                      "empty, 2 workers: tbb-fg / ours, closest shape",
                                      "empty: 2 workers / 1 worker, worst shape"}));
  for (const Bar& bar : evaluate_bars(std::vector{process}, kFull)) {
    if (!bar.passed()) EXPECT_EQ(bar.where, "fan_64") << bar.name;
  }
}

TEST(BarsTest, EachShapeIsJudgedByItsMedian) {
  std::vector<ProcessResult> processes(3, make_good_process());
  find(processes[0], "fan_64", "empty").dag_ns = {17};
  find(processes[1], "chain_64", "empty").dag_ns = {17};
  find(processes[2], "tree_255", "empty").dag_ns = {17};
  for (const Bar& bar : evaluate_bars(processes, kFull)) EXPECT_TRUE(bar.passed()) << bar.name;
}

TEST(BarsTest, TheShortFormJudgesOnlyWhatItMeasures) {
  ProcessResult process = make_good_process();
  std::erase_if(process.measurements, [](const Measurement& m) {
    return m.body == "1ms" || (m.body == "20us" && m.shape == "fan_512");
  });
  EXPECT_EQ(failed(process).size(), 7U);  // those of 20 us and of the siblings
  for (const Bar& bar : evaluate_bars(std::vector{process}, {.subject = "ours"}))
    EXPECT_TRUE(bar.passed()) << bar.name;
  std::erase_if(process.measurements, [](const Measurement& m) { return m.shape == "fan_64"; });
  EXPECT_GT(failed(process).size(), 7U);
}

TEST(BarsTest, ACallerThatOnlyWaitsIsComparedWithOneThatDoesTheSame) {
  ProcessResult process = make_good_process();
  for (const Shape& shape : core_shapes())
    find(process, shape.name, "1us", "millrace-wait").dag_ns = {250};
  EXPECT_EQ(
      failed(process),
      std::vector<std::string>{"1us, 2 workers and a caller that only waits: ours / tbb, mean"});
}

TEST(BarsTest, BusyShapesAreHeldToTheirIdeal) {
  ProcessResult process = make_good_process();
  find(process, "ranking_10", "1us").dag_ns = {113};
  find(process, "ladder_64", "1us").dag_ns = {115};
  EXPECT_EQ(failed(process), std::vector<std::string>{"1us, 2 workers: ranking_10 / ideal"});
}

TEST(BarsTest, ADeadlineIsComparedWithTheSameRunWithoutAndWithOneTbb) {
  ProcessResult process = make_good_process();
  find(process, "fan_64", "empty", "millrace-deadline").dag_ns = {4.6};
  EXPECT_EQ(failed(process),
            std::vector<std::string>{"empty, 2 workers: deadline / without, worst shape"});
  process = make_good_process();
  for (const Shape& shape : core_shapes())
    find(process, shape.name, "1us", "millrace-deadline").dag_ns = {111};
  EXPECT_EQ(failed(process),
            std::vector<std::string>{"1us, 2 workers: deadline / tbb-tg without, mean"});
}

TEST(BarsTest, ADeadlineIsJudgedInFlightToo) {
  ProcessResult process = make_good_process();
  find(process, "ranking_10_x64", "empty", "millrace-deadline").dag_ns = {4.6};
  EXPECT_EQ(failed(process), std::vector<std::string>{"empty, 64 in flight: deadline / without"});
}

TEST(BarsTest, ASecondWorkerMustNotHurt) {
  ProcessResult process = make_good_process();
  find(process, "fan_64", "200ns").dag_ns = {117};
  EXPECT_EQ(failed(process), std::vector<std::string>{"200ns: 2 workers / 1 worker, worst shape"});
}

TEST(BarsTest, UnevenBranchesAreComparedWithOneTbb) {
  ProcessResult process = make_good_process();
  find(process, "uneven_24", "500ns").dag_ns = {122};
  EXPECT_EQ(failed(process),
            (std::vector<std::string>{"500ns: 2 workers / 1 worker, worst shape",
                                      "uneven branches, 2 workers: ours / tbb-tg, worst body"}));
}

TEST(BarsTest, OneNarrowWidthIsEnoughToFail) {
  ProcessResult process = make_good_process();
  find(process, "narrow_08", "1ms").dag_ns = {200};
  ASSERT_EQ(failed(process).size(), 1U);
  EXPECT_NE(failed(process)[0].find("warm plan"), std::string::npos);
}

TEST(BarsTest, EachNarrowWidthIsJudgedByItsMedian) {
  std::vector<ProcessResult> processes(3, make_good_process());
  find(processes[0], "narrow_08", "1ms").dag_ns = {200};
  find(processes[1], "narrow_09", "1ms").dag_ns = {200};
  find(processes[2], "narrow_10", "1ms").dag_ns = {200};
  for (const Bar& bar : evaluate_bars(processes, kFull)) EXPECT_TRUE(bar.passed()) << bar.name;
}

TEST(BarsTest, InFlightIsComparedWithTheBetterRival) {
  ProcessResult process = make_good_process();
  find(process, "ranking_10_x64", "empty").dag_ns = {11};
  ASSERT_EQ(failed(process).size(), 1U);
  EXPECT_NE(failed(process)[0].find("in flight"), std::string::npos);
}

TEST(BarsTest, AnyAllocationFails) {
  ProcessResult process = make_good_process();
  find(process, "chain_64", "1us").allocs_per_run = 0.5;
  ASSERT_EQ(failed(process).size(), 1U);
  EXPECT_NE(failed(process)[0].find("allocations"), std::string::npos);
}

TEST(BarsTest, MissingCaseLeavesItsBarsOpen) {
  ProcessResult process = make_good_process();
  std::erase_if(process.measurements, [](const Measurement& m) { return m.shape == "narrow_33"; });
  EXPECT_EQ(failed(process).size(), 1U);
}

TEST(BarsTest, ValueIsTheMedianOverProcesses) {
  std::vector<ProcessResult> processes(3, make_good_process());
  find(processes[1], "mixed_200", "mixed").dag_ns = {500};
  for (const Bar& bar : evaluate_bars(processes, kFull)) EXPECT_TRUE(bar.passed()) << bar.name;
  find(processes[2], "mixed_200", "mixed").dag_ns = {300};
  const std::vector<Bar> bars = evaluate_bars(processes, kFull);
  EXPECT_EQ(std::ranges::count_if(bars, &Bar::passed), std::ssize(bars) - 1);
}

}  // namespace
}  // namespace millrace::bench
