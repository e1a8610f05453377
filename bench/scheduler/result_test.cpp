#include "scheduler/result.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace millrace::bench {
namespace {

Measurement make_measurement(std::vector<double> dag_ns) {
  Measurement measurement;
  measurement.shape = "chain_64";
  measurement.body = "empty";
  measurement.engine = "serial";
  measurement.workers = 2;
  measurement.node_count = 64;
  measurement.ideal_ns = 0.1;
  measurement.dag_ns = std::move(dag_ns);
  measurement.p50_us = 1.25;
  return measurement;
}

TEST(ResultTest, SurvivesTheWayToTheParent) {
  const Measurement sent = make_measurement({1.0 / 3, 2e9});
  const std::optional<Measurement> received = decode(encode(sent));
  if (!received) FAIL() << "decode refused: " << encode(sent);
  EXPECT_EQ(received->shape, sent.shape);
  EXPECT_EQ(received->body, sent.body);
  EXPECT_EQ(received->engine, sent.engine);
  EXPECT_EQ(received->workers, sent.workers);
  EXPECT_EQ(received->node_count, sent.node_count);
  EXPECT_EQ(received->ideal_ns, sent.ideal_ns);
  EXPECT_EQ(received->dag_ns, sent.dag_ns);
  EXPECT_EQ(received->p50_us, sent.p50_us);
  EXPECT_EQ(received->p99_us, std::nullopt);
  EXPECT_TRUE(received->correct);
}

TEST(ResultTest, KeepsAFailureOnTheWay) {
  Measurement sent = make_measurement({1});
  sent.correct = false;
  const std::optional<Measurement> received = decode(encode(sent));
  if (!received) FAIL() << "decode refused: " << encode(sent);
  EXPECT_FALSE(received->correct);
}

TEST(ResultTest, MachineFactsSurviveTheWayToo) {
  const MachineFacts sent{.spin_alone_ns = 1000.5, .spin_crowded_ns = 1010, .foreign_share = 0.25};
  const std::optional<MachineFacts> received = decode_facts(encode(sent));
  if (!received) FAIL() << "decode refused: " << encode(sent);
  EXPECT_EQ(received->spin_alone_ns, 1000.5);
  EXPECT_EQ(received->spin_crowded_ns, 1010);
  EXPECT_EQ(received->foreign_share, 0.25);
  EXPECT_FALSE(decode_facts(encode(make_measurement({1}))).has_value());
}

TEST(ResultTest, RejectsOtherLines) {
  EXPECT_FALSE(decode("progress\t1\t2").has_value());
  EXPECT_FALSE(decode("").has_value());
  std::string line = encode(make_measurement({1}));
  EXPECT_FALSE(decode(line + "\t1").has_value());
  line.replace(line.find("64\t"), 2, "x4");
  EXPECT_FALSE(decode(line.replace(line.find("\t2\t"), 3, "\tx\t")).has_value());
}

TEST(ResultTest, SummaryIsTheMedianOverProcesses) {
  std::vector<ProcessResult> processes(3);
  processes[0].measurements = {make_measurement({100, 110, 120})};
  processes[1].measurements = {make_measurement({200, 900, 100})};
  processes[2].measurements = {make_measurement({5000, 6000, 7000})};
  processes[2].measurements[0].p50_us = 3.5;
  const std::vector<Summary> summaries = summarize(processes);
  ASSERT_EQ(summaries.size(), 1U);
  EXPECT_EQ(summaries[0].dag_ns, 200);
  EXPECT_EQ(summaries[0].joined.dag_ns.size(), 9U);
  EXPECT_EQ(summaries[0].joined.p50_us, 1.25);
  EXPECT_TRUE(summaries[0].joined.correct);
}

TEST(ResultTest, OneWrongProcessMakesTheSummaryWrong) {
  std::vector<ProcessResult> processes(2);
  processes[0].measurements = {make_measurement({1})};
  processes[1].measurements = {make_measurement({1})};
  processes[1].measurements[0].correct = false;
  EXPECT_FALSE(summarize(processes)[0].joined.correct);
}

TEST(ResultTest, FindsByCaseAndEngine) {
  ProcessResult process;
  process.measurements = {make_measurement({1})};
  EXPECT_NE(process.find("chain_64", "empty", 2, "serial"), nullptr);
  EXPECT_EQ(process.find("chain_64", "empty", 1, "serial"), nullptr);
  EXPECT_EQ(process.find("chain_64", "1us", 2, "serial"), nullptr);
}

}  // namespace
}  // namespace millrace::bench
