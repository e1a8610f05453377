// The program `topoexec` as users call it.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shell.h"

namespace millrace::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(TopoexecTest, G68_TheGuideWorksAsWritten) {
  const Root root;
  for (const std::string& name : {"greenhouse", "alarms", "pool_load"}) {
    const ShellResult result =
        root.run("engine/bin/topoexec graph validate examples/graphs/" + name + ".yaml");
    EXPECT_EQ(result.exit_code, 0) << result.out;
    EXPECT_THAT(result.out, HasSubstr(": ok, 0 errors, 0 warnings"));
    EXPECT_THAT(result.err, IsEmpty());
  }
  EXPECT_EQ(
      root.run("engine/bin/topoexec graph render examples/graphs/greenhouse.yaml --format svg")
          .exit_code,
      0);
  EXPECT_THAT(
      root.run("engine/bin/topoexec graph plan examples/graphs/alarms.yaml --format json").out,
      StartsWith(R"({"graph":"alarms")"));
}

TEST(TopoexecTest, G68_ExitCodesAreZeroOneAndTwo) {
  const Root root;
  root.write("bad.yaml", "schema_version: 1\ngraph: {name: t, kind: internal_test}\nlanes: {}\n");
  const ShellResult bad = root.run("engine/bin/topoexec graph validate bad.yaml");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.out, HasSubstr("bad.yaml:1:1: error: missing_field"));
  root.write("warns.yaml",
             "schema_version: 1\ngraph: {name: t, kind: internal_test}\n"
             "lanes: {main: {type: event_loop, priority: 1}}\ncomponents: []\nedges: []\n");
  EXPECT_EQ(root.run("engine/bin/topoexec graph lint warns.yaml").exit_code, 0);
  EXPECT_EQ(root.run("engine/bin/topoexec graph lint warns.yaml --strict").exit_code, 1);
  EXPECT_EQ(root.run("engine/bin/topoexec graph fly warns.yaml").exit_code, 2);
  EXPECT_EQ(root.run("engine/bin/topoexec graph validate warns.yaml --max-lanes 0").exit_code, 2);
  const ShellResult help = root.run("engine/bin/topoexec --help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("what is wrong with it, line by line"));
}

TEST(TopoexecTest, OutputThatCannotBeWrittenIsAnError) {
  const Root root;
  for (const std::string& command :
       {"doctor", "--help", "schema dump", "graph plan examples/graphs/alarms.yaml"}) {
    const ShellResult full = root.run("engine/bin/topoexec " + command + " > /dev/full");
    EXPECT_EQ(full.exit_code, 1) << command;
    EXPECT_THAT(full.err, HasSubstr("Standard output cannot be written: No space left on device"));
  }
}

TEST(TopoexecTest, G68_OneFileHasOutputAndSummaryInOrder) {
  const Root root;
  const ShellResult both = root.run(
      "engine/bin/topoexec graph run examples/graphs/alarms.yaml --virtual-time --until-idle 2>&1");
  EXPECT_EQ(both.exit_code, 0) << both.out;
  EXPECT_LT(both.out.rfind('{'), both.out.find("alarms: ok")) << both.out;
}

TEST(TopoexecTest, G55_ARunIsRecordedAndReplayed) {
  const Root root;
  const std::string program = "engine/bin/topoexec graph ";
  const ShellResult run = root.run(
      program +
      "run examples/graphs/alarms.yaml --virtual-time --duration-ms 900 --record a.record");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(root.run(program + "replay a.record").out, HasSubstr("the same as recorded"));
  const ShellResult cut =
      root.run("head -c 400 a.record > b.record; " + program + "replay b.record");
  EXPECT_EQ(cut.exit_code, 2);
  EXPECT_THAT(cut.err, HasSubstr("line 1, byte 0: The record ends in the middle of a line"));
}

}  // namespace
}  // namespace millrace::e2e
