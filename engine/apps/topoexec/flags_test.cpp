#include "apps/topoexec/flags.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::topoexec {
namespace {

using ::testing::HasSubstr;

auto parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "topoexec");
  return read_flags(static_cast<int>(arguments.size()), arguments.data());
}

TEST(TopoexecFlagsTest, ReadsCommandFileFormatAndLimits) {
  const auto flags = parse({"graph", "render", "g.yaml", "--format", "svg", "--max-edges", "9"});
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->command, Subcommand::kRender);
  EXPECT_EQ(flags->format, Format::kSvg);
  EXPECT_EQ(flags->file, "g.yaml");
  EXPECT_EQ(flags->limits.edges_max, 9U);
  EXPECT_EQ(parse({"graph", "diff-plan", "a", "b"})->other_file, "b");
  EXPECT_EQ(parse({"graph", "explain", "a", "c"})->component, "c");
  EXPECT_TRUE(parse({"graph", "lint", "a", "--strict"})->strict);
  EXPECT_EQ(parse({"graph", "run", "a", "--record", "r"})->record, "r");
  EXPECT_EQ(parse({"graph", "replay", "r"})->command, Subcommand::kReplay);
  const auto plugins = parse({"graph", "run", "--plugin", "a.so", "--plugin", "b.so", "g.yaml"});
  ASSERT_TRUE(plugins);
  EXPECT_EQ(plugins->plugins, (std::vector<std::string>{"a.so", "b.so"}));
  EXPECT_EQ(plugins->file, "g.yaml") << "a plugin takes one file name";
  EXPECT_EQ(parse({"schema", "dump"})->command, Subcommand::kSchemaDump);
  EXPECT_EQ(parse({"doctor", "--format", "json"})->format, Format::kJson);
}

TEST(TopoexecFlagsTest, G68_EveryCommandTakesTextAndJson) {
  const std::vector<std::vector<const char*>> commands = {{"graph", "validate", "g"},
                                                          {"graph", "plan", "g"},
                                                          {"graph", "render", "g"},
                                                          {"graph", "lint", "g"},
                                                          {"graph", "run", "g"},
                                                          {"graph", "trace", "g"},
                                                          {"graph", "metrics", "g"},
                                                          {"graph", "bench", "g"},
                                                          {"graph", "observe", "g"},
                                                          {"graph", "replay", "g"},
                                                          {"graph", "test", "g"},
                                                          {"graph", "explain", "g", "c"},
                                                          {"graph", "diff-plan", "g", "h"},
                                                          {"graph", "why", "g", "c"},
                                                          {"schema", "check", "g"},
                                                          {"schema", "dump"},
                                                          {"doctor"}};
  for (std::vector<const char*> command : commands) {
    command.insert(command.end(), {"--format", "json"});
    const auto json = parse(command);
    ASSERT_TRUE(json) << json.error().text;
    EXPECT_EQ(json->format, Format::kJson);
    command.back() = "text";
    EXPECT_TRUE(parse(command)) << command[1];
  }
}

TEST(TopoexecFlagsTest, CountsAreNotNegative) {
  for (const char* flag : {"--steps", "--duration-ms", "--repeat", "--max-edges"}) {
    const auto flags = parse({"graph", "bench", "g", flag, "-1"});
    ASSERT_FALSE(flags) << flag;
    EXPECT_EQ(flags.error().exit_code, 2);
    EXPECT_THAT(flags.error().text, HasSubstr("is not a number from"));
  }
  EXPECT_FALSE(parse({"graph", "why", "g", "c", "--epoch", "-1"}));
  EXPECT_FALSE(parse({"graph", "why", "g", "c", "--epoch", "0"}));
}

TEST(TopoexecFlagsTest, WhyTakesAFileOrAnAddress) {
  const auto file = parse({"graph", "why", "g.yaml", "c", "--epoch", "3"});
  ASSERT_TRUE(file);
  EXPECT_EQ(file->file, "g.yaml");
  EXPECT_EQ(file->component, "c");
  const auto running = parse({"graph", "why", "c", "--at", "unix:s"});
  ASSERT_TRUE(running);
  EXPECT_EQ(running->file, "");
  EXPECT_EQ(running->component, "c");
  EXPECT_EQ(running->at, "unix:s");
  for (const std::vector<const char*>& wrong :
       std::vector<std::vector<const char*>>{{"graph", "why"},
                                             {"graph", "why", "g.yaml"},
                                             {"graph", "why", "--at", "unix:s"},
                                             {"graph", "why", "g.yaml", "c", "--at", "unix:s"}}) {
    const auto flags = parse(wrong);
    ASSERT_FALSE(flags);
    EXPECT_EQ(flags.error().exit_code, 2);
    EXPECT_THAT(flags.error().text, HasSubstr("graph why"));
  }
}

TEST(TopoexecFlagsTest, ObserveBenchAndAdminHaveTheirOptions) {
  const auto observe = parse({"graph", "observe", "g", "--interval-ms", "50", "--once"});
  ASSERT_TRUE(observe);
  EXPECT_EQ(observe->interval_ms, 50);
  EXPECT_TRUE(observe->once);
  EXPECT_FALSE(parse({"graph", "observe", "g", "--interval-ms", "1"}));
  EXPECT_EQ(parse({"graph", "bench", "g", "--repeat", "3"})->repeat, 3U);
  EXPECT_FALSE(parse({"graph", "bench", "g", "--repeat", "0"}));
  const auto run = parse({"graph", "run", "g", "--admin", "127.0.0.1:0", "--admin-anywhere"});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->admin, "127.0.0.1:0");
  EXPECT_TRUE(run->admin_anywhere);
}

TEST(TopoexecFlagsTest, WrongUsageIsTwoAndHelpIsZero) {
  for (const std::vector<const char*>& wrong :
       std::vector<std::vector<const char*>>{{},
                                             {"graph"},
                                             {"graph", "validate"},
                                             {"graph", "fly", "a"},
                                             {"graph", "plan", "a", "--format", "svg"},
                                             {"graph", "validate", "a", "--max-lanes", "0"}}) {
    const auto flags = parse(wrong);
    ASSERT_FALSE(flags);
    EXPECT_EQ(flags.error().exit_code, 2);
  }
  const auto help = parse({"--help"});
  ASSERT_FALSE(help);
  EXPECT_EQ(help.error().exit_code, 0);
  EXPECT_THAT(help.error().text, HasSubstr("topoexec graph validate graph.yaml"));
  EXPECT_THAT(parse({"graph", "validate", "--help"}).error().text, HasSubstr("--max-text-bytes"));
}

}  // namespace
}  // namespace millrace::topoexec
