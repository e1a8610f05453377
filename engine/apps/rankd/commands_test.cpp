#include "apps/rankd/commands.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/rankd_fixture.h"

namespace millrace::rankd::testing {
namespace {

using ::testing::HasSubstr;

int run(Subcommand command, Flags flags = repository_flags()) {
  flags.command = command;
  return run_command(flags);
}

TEST(CommandsTest, CLI5_WhatPrintsOnlyEndsWithZero) {
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run(Subcommand::kListPlans), 0);
  EXPECT_EQ(run(Subcommand::kPrintRegistry), 0);
  EXPECT_EQ(run(Subcommand::kPrintTaskManifest), 0);
  EXPECT_EQ(run(Subcommand::kCheck), 0);
  const std::string out = ::testing::internal::GetCapturedStdout();
  EXPECT_THAT(out, HasSubstr("complex_dag"));
  EXPECT_THAT(out, HasSubstr("redis_default"));
  EXPECT_THAT(out, HasSubstr("fail_after_sleep"));
  EXPECT_THAT(out, HasSubstr("viewer_filter.plan.json: ok"));
}

TEST(CommandsTest, CLI5_AnInvalidPlanIsOne) {
  const TempFolder folder;
  Flags flags = repository_flags();
  flags.plan_files = {folder.write("broken.plan.json", kBrokenPlan)};
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(Subcommand::kCheck, flags), 1);
  EXPECT_EQ(run(Subcommand::kListPlans, flags), 1);
  EXPECT_EQ(run(Subcommand::kRun, flags), 1);
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("nonsense"));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("rankd: "));
}

TEST(CommandsTest, CLI3_CheckSaysHowManyProblemsItLeftOut) {
  std::string nodes;  // each has neither id nor op: two problems
  for (int i = 0; i < 300; ++i) nodes += i == 0 ? "{}" : ", {}";
  const TempFolder folder;
  Flags flags = repository_flags();
  flags.format = Format::kJson;
  flags.plan_files = {folder.write(
      "broken.plan.json",
      R"({"schema_version": 1, "name": "p", "outputs": ["a"], "nodes": [)" + nodes + "]}")};
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run(Subcommand::kCheck, flags), 1);
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr(R"("more_problems":101})"));
}

TEST(CommandsTest, CLI3_ExplainNeedsAPlan) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(Subcommand::kExplain), 2);
  Flags flags = repository_flags();
  flags.plan_name = "nothing";
  EXPECT_EQ(run(Subcommand::kExplain, flags), 1);
  flags.plan_name = "complex_dag";
  EXPECT_EQ(run(Subcommand::kExplain, flags), 0);
  flags.plan_name = flags.root + "/plans/diamond.plan.json";
  flags.format = Format::kJson;
  EXPECT_EQ(run(Subcommand::kExplain, flags), 0);
  const std::string out = ::testing::internal::GetCapturedStdout();
  EXPECT_THAT(out, HasSubstr("complex_dag"));
  EXPECT_THAT(out, HasSubstr("\"diamond\""));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("--list-plans"));
}

TEST(CommandsTest, CLI3_SeedWritesAFile) {
  const TempFolder folder;
  Flags flags = repository_flags();
  flags.seed_users = 3;
  flags.seed_out = folder.path() + "/data.redis";
  EXPECT_EQ(run(Subcommand::kSeed, flags), 0);
  EXPECT_THAT(*host::read_text_file(flags.seed_out), HasSubstr("HSET user:3 "));
  flags.seed_out = folder.path() + "/no/such/folder";
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(Subcommand::kSeed, flags), 1);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("no/such/folder"));
}

TEST(CommandsTest, CLI6_BenchEndsWithOneIfARequestFailed) {
  Flags flags = repository_flags();
  flags.plan_name = "simple_plan";
  flags.bench_count = 3;
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run(Subcommand::kBench, flags), 0);
  flags.bench_request = "{}";
  EXPECT_EQ(run(Subcommand::kBench, flags), 1);
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("missing_field"));
}

TEST(CommandsTest, ACommandThatEndsLogsItsStartAndStopOnlyIfAsked) {
  Flags flags = repository_flags();
  flags.plan_name = "simple_plan";
  flags.bench_count = 3;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(Subcommand::kBench, flags), 0);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  flags.log_level = base::LogLevel::kInfo;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(Subcommand::kBench, flags), 0);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr(R"("event":"engine_start")"));
  EXPECT_THAT(log, HasSubstr(R"("event":"engine_stop")"));
  static_cast<void>(::testing::internal::GetCapturedStdout());
}

TEST(CommandsTest, CommandsThatPrintOnlyWriteNoLog) {
  Flags flags = repository_flags();
  flags.plan_name = "complex_dag";
  flags.log_level = base::LogLevel::kDebug;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  for (const Subcommand command :
       {Subcommand::kListPlans, Subcommand::kCheck, Subcommand::kExplain}) {
    EXPECT_EQ(run(command, flags), 0);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  static_cast<void>(::testing::internal::GetCapturedStdout());
}

}  // namespace
}  // namespace millrace::rankd::testing
