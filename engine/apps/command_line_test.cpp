#include "apps/command_line.h"

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::apps {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Program {
  Program() : app("What it does.", "tool") {
    app.require_subcommand(0, 1);
    app.add_option("--plan_name,--plan-name", name, "which plan");
    CLI::App* const bench = app.add_subcommand("bench", "measure");
    bench->fallthrough();
    bench->add_option("--count", count, "how often");
    bench->add_option("--times", count, "how often")->check(CLI::Range(1, 9));
    bench->add_option("--memory", size, "how much")->transform(CLI::AsSizeValue(false));
    bench->add_option("--format", name, "how")->check(CLI::IsMember({"json", "text"}));
    app.add_subcommand("explain", "tell")->fallthrough();
    app.add_subcommand("draw", "picture")->add_option("FILE", name, "what")->required();
    finish_command_line(app, "Exit codes: 0 good, 1 bad.");
  }

  EarlyExit end_of(std::vector<const char*> words) {
    words.insert(words.begin(), "tool");
    const auto parsed = parse_command_line(app, static_cast<int>(words.size()), words.data());
    return parsed ? EarlyExit{-1, "ran"} : parsed.error();
  }

  CLI::App app;
  std::string name;
  int count = 0;
  std::uint64_t size = 0;
};

TEST(CommandLineTest, TellsItsVersion) {
  const EarlyExit end = Program().end_of({"--version"});
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.text, "tool " MR_VERSION "\n");
}

TEST(CommandLineTest, AMisspeltOptionGetsASuggestion) {
  const EarlyExit end = Program().end_of({"bench", "--plan_nmae=x"});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.text, HasSubstr("There is no option '--plan_nmae'; did you mean '--plan_name'?"));
  EXPECT_THAT(Program().end_of({"bench", "--coutn", "3"}).text, HasSubstr("'--count'?"));
}

TEST(CommandLineTest, AMisspeltVerbGetsASuggestion) {
  const EarlyExit end = Program().end_of({"explian"});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.text, HasSubstr("Not expected here: 'explian'; did you mean 'explain'?"));
  EXPECT_THAT(Program().end_of({"zzz"}).text, Not(HasSubstr("did you mean")));
}

TEST(CommandLineTest, HelpOfASubcommandListsSharedOptionsAndExitCodes) {
  const std::string text = Program().end_of({"bench", "--help"}).text;
  EXPECT_THAT(text, HasSubstr("--count"));
  EXPECT_THAT(text, HasSubstr("Options of all subcommands:"));
  EXPECT_THAT(text, HasSubstr("--plan_name"));
  EXPECT_THAT(text, HasSubstr("Exit codes: 0"));
  EXPECT_THAT(Program().end_of({"--help"}).text, HasSubstr("Exit codes: 0"));
}

TEST(CommandLineTest, AVerbThatIsNearNothingIsToldWhichThereAre) {
  EXPECT_THAT(Program().end_of({"zzz"}).text,
              HasSubstr("Not expected here: 'zzz'; `tool` has the commands: bench, explain, draw"));
}

TEST(CommandLineTest, ABadValueIsToldInPlainWords) {
  const EarlyExit end = Program().end_of({"bench", "--count", "50ms"});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_EQ(end.text, "--count: '50ms' is not a number\nRun with --help for more information.\n");
  EXPECT_THAT(Program().end_of({"bench", "--times", "0"}).text,
              HasSubstr("--times: '0' is not a number from 1 to 9\n"));
  EXPECT_THAT(Program().end_of({"bench", "--format", "yaml"}).text,
              HasSubstr("--format: 'yaml' is none of json, text\n"));
}

TEST(CommandLineTest, AValueThatIsMissingOrGivenTwiceIsToldInPlainWords) {
  EXPECT_THAT(Program().end_of({"--plan_name"}).text, HasSubstr("--plan_name needs a value\n"));
  EXPECT_THAT(Program().end_of({"--plan_name", "a", "--plan_name", "b"}).text,
              HasSubstr("--plan_name is given more than once\n"));
  EXPECT_THAT(Program().end_of({"bench", "--memory", "5XB"}).text,
              HasSubstr("--memory: a size is a number and a unit, as 500, 64MB or 2GiB\n"));
}

TEST(CommandLineTest, WhatIsMissingIsNamedWithItsCommand) {
  const EarlyExit end = Program().end_of({"draw"});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.text, HasSubstr("`tool draw` needs FILE\n"));
  Program strict;
  strict.app.require_subcommand(1);
  EXPECT_THAT(strict.end_of({}).text, HasSubstr("`tool` has the commands: bench, explain, draw"));
}

}  // namespace
}  // namespace millrace::apps
