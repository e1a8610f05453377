#include "apps/topoexec/run_commands.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/topoexec/commands.h"
#include "apps/topoexec/flags.h"

namespace millrace::topoexec {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string example_file(const std::string& name) {
  return std::string(MILLRACE_SOURCE_DIR) + "/examples/graphs/" + name + ".yaml";
}

Flags run_flags(Subcommand command, const std::string& name, Format format = Format::kText) {
  Flags flags;
  flags.command = command;
  flags.file = example_file(name);
  flags.format = format;
  flags.virtual_time = true;
  flags.duration_ms = 100;
  return flags;
}

TEST(TopoexecRunTest, G68_RunPrintsLinesThenOneObject) {
  const Outcome text = run_command(run_flags(Subcommand::kRun, "greenhouse"));
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, StartsWith(R"({"component":"show","epoch":1,"value":18,"time_us":0})"));
  EXPECT_THAT(text.err, HasSubstr("greenhouse: ok (duration_bound)"));
  const Outcome json = run_command(run_flags(Subcommand::kRun, "greenhouse", Format::kJson));
  EXPECT_THAT(json.out, HasSubstr("\n{\"ok\":true,\"graph\":\"greenhouse\","));
}

TEST(TopoexecRunTest, G68_TraceMetricsAndWhyPrintTheirObjects) {
  EXPECT_THAT(run_command(run_flags(Subcommand::kTrace, "greenhouse", Format::kJson)).out,
              StartsWith(R"({"ok":true,"trace_schema_version":1,)"));
  EXPECT_THAT(run_command(run_flags(Subcommand::kTrace, "greenhouse", Format::kChrome)).out,
              StartsWith(R"({"traceEvents":[)"));
  EXPECT_THAT(run_command(run_flags(Subcommand::kMetrics, "greenhouse", Format::kJson)).out,
              StartsWith(R"({"ok":true,"metric_schema_version":1,"descriptors":[)"));
  Flags why = run_flags(Subcommand::kWhy, "alarms", Format::kJson);
  why.component = "siren";
  EXPECT_THAT(run_command(why).out, HasSubstr(R"("ran":false)"));
  why.virtual_time = false;  // nobody need say it: it is never asked in wall time
  why.epoch = 1;
  EXPECT_THAT(run_command(why).out, HasSubstr(R"("ran":)"));
  why.component = "sirne";
  EXPECT_EQ(run_command(why).exit_code, 2);
  EXPECT_THAT(run_command(why).err, HasSubstr("siren"));
}

TEST(TopoexecRunTest, G61_WithoutABoundItIsAUsageError) {
  Flags flags = run_flags(Subcommand::kRun, "greenhouse");
  flags.duration_ms.reset();
  EXPECT_EQ(run_command(flags).exit_code, 2);
  EXPECT_THAT(run_command(flags).err, HasSubstr("needs a bound"));
  flags.steps = 3;
  EXPECT_EQ(run_command(flags).exit_code, 0);
}

TEST(TopoexecRunTest, RunsInWallTimeUntilABoundAndPrintsLinesAsTheyCome) {
  Flags flags = run_flags(Subcommand::kRun, "greenhouse");
  flags.virtual_time = false;
  flags.duration_ms.reset();
  flags.steps = 3;
  testing::internal::CaptureStdout();
  const Outcome outcome = run_command(flags);
  const std::string lines = testing::internal::GetCapturedStdout();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(lines, StartsWith(R"({"component":"show","epoch":1,"value":18,)"));
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("greenhouse: ok (tick_bound)"));
}

TEST(TopoexecRunTest, G74_TheScenariosOfTheExamplesPass) {
  for (const char* name : {"greenhouse", "alarms", "pool_load", "trending/trending"}) {
    Flags flags = run_flags(Subcommand::kTest, std::string(name) + ".scenario");
    const Outcome outcome = run_command(flags);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  }
  Flags missing = run_flags(Subcommand::kTest, "none.scenario");
  EXPECT_EQ(run_command(missing).exit_code, 2);
}

}  // namespace
}  // namespace millrace::topoexec
