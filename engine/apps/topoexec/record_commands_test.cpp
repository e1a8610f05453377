#include "apps/topoexec/record_commands.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/topoexec/commands.h"
#include "apps/topoexec/flags.h"

namespace millrace::topoexec {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string record_path() {
  return testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name();
}

Outcome record_example(const std::string& name, bool virtual_time = true) {
  Flags flags;
  flags.command = Subcommand::kRun;
  flags.file = std::string(MILLRACE_SOURCE_DIR) + "/examples/graphs/" + name + ".yaml";
  flags.virtual_time = virtual_time;
  flags.duration_ms = virtual_time ? 500 : 100;
  flags.record = record_path();
  return run_command(flags);
}

Outcome replay(Format format = Format::kText) {
  Flags flags;
  flags.command = Subcommand::kReplay;
  flags.format = format;
  flags.file = record_path();
  return run_command(flags);
}

TEST(TopoexecRecordTest, G55_RecordsOfTheExamplesReplayTheSame) {
  for (const char* name : {"greenhouse", "alarms", "pool_load"}) {
    const Outcome run = record_example(name);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const Outcome text = replay();
    EXPECT_EQ(text.exit_code, 0) << text.out << text.err;
    EXPECT_THAT(text.out, HasSubstr("the same as recorded"));
    EXPECT_THAT(replay(Format::kJson).out, StartsWith(R"({"ok":true,"epochs":{")"));
  }
  std::filesystem::remove(record_path());
}

TEST(TopoexecRecordTest, G55_RecordsOfRunsInWallTimeReplayTheSame) {
  for (const char* name : {"greenhouse", "alarms", "pool_load"}) {
    const Outcome run = record_example(name, false);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const Outcome text = replay();
    EXPECT_EQ(text.exit_code, 0) << text.out << text.err;
  }
  std::filesystem::remove(record_path());
}

TEST(TopoexecRecordTest, G55_DamageAndDifferencesAreTold) {
  ASSERT_EQ(record_example("greenhouse").exit_code, 0);
  std::ifstream file(record_path());
  std::stringstream text;
  text << file.rdbuf();
  std::string record = text.str();
  record[record.size() / 2] ^= 4;
  std::ofstream(record_path()) << record;
  const Outcome damaged = replay();
  EXPECT_EQ(damaged.exit_code, 2);
  EXPECT_THAT(damaged.err, HasSubstr(": line "));
  std::ofstream(record_path()) << record.substr(0, record.size() / 3);
  EXPECT_EQ(replay().exit_code, 2);
  std::filesystem::remove(record_path());
  EXPECT_THAT(replay().err, HasSubstr("No such file"));
}

TEST(TopoexecRecordTest, G69_ARecordThatCannotBeWrittenFailsTheRun) {
  Flags flags;
  flags.command = Subcommand::kRun;
  flags.file = std::string(MILLRACE_SOURCE_DIR) + "/examples/graphs/greenhouse.yaml";
  flags.virtual_time = true;
  flags.steps = 2;
  flags.record = "/nowhere/run.record";
  EXPECT_EQ(run_command(flags).exit_code, 2);
  flags.record = "/dev/full";
  const Outcome full = run_command(flags);
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.err, HasSubstr("record_failed"));
}

}  // namespace
}  // namespace millrace::topoexec
