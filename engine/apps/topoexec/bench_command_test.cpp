#include "apps/topoexec/bench_command.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/topoexec/commands.h"
#include "apps/topoexec/flags.h"

namespace millrace::topoexec {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Flags bench_flags(const std::string& name) {
  Flags flags;
  flags.command = Subcommand::kBench;
  flags.file = std::string(MILLRACE_SOURCE_DIR) + "/examples/graphs/" + name + ".yaml";
  flags.virtual_time = true;
  flags.repeat = 3;
  return flags;
}

TEST(TopoexecBenchTest, RunsTheGraphAsOftenAsAskedAndCountsItsWork) {
  Flags flags = bench_flags("greenhouse");
  flags.steps = 5;
  const Outcome text = run_command(flags);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, StartsWith("greenhouse: 3 runs in virtual time, "));
  EXPECT_THAT(text.out, HasSubstr("ns per invocation\n"));
  flags.format = Format::kJson;
  const Outcome json = run_command(flags);
  EXPECT_THAT(json.out, StartsWith(R"({"ok":true,"graph":"greenhouse","virtual_time":true,)"));
  EXPECT_THAT(json.out, HasSubstr(R"("runs_ms":[)"));
}

TEST(TopoexecBenchTest, ADurationThatNeverEndsIsAUsageError) {
  Flags flags = bench_flags("greenhouse");
  flags.file = std::string(MILLRACE_SOURCE_DIR) + "/tests/corpus/graphs/endless_counter.yaml";
  flags.duration_ms = 10;
  const Outcome outcome = run_command(flags);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("give a number of steps"));
  flags.file = "no/such/file.yaml";
  EXPECT_EQ(run_command(flags).exit_code, 2);
}

}  // namespace
}  // namespace millrace::topoexec
