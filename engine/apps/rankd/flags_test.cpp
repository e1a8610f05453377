#include "apps/rankd/flags.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/rankd_fixture.h"

namespace millrace::rankd::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FlagsTest, CLI4_WithoutFlagsItAnswersStdinInDev) {
  const auto flags = parse({});
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->command, Subcommand::kRun);
  EXPECT_EQ(flags->env, "dev");
  EXPECT_FALSE(flags->format);
}

TEST(FlagsTest, AFormatThatACommandDoesNotHaveIsRefused) {
  EXPECT_EQ(parse({"explain", "p", "--format", "svg"})->format, Format::kSvg);
  EXPECT_EQ(parse({"--format", "text"})->format, Format::kText);
  for (const auto& words :
       std::vector<std::vector<const char*>>{{"bench", "--format", "svg"},
                                             {"seed", "--format", "json"},
                                             {"trace", "f", "--format", "json"},
                                             {"--print-registry", "--format", "text"}}) {
    const auto flags = parse(words);
    ASSERT_FALSE(flags);
    EXPECT_EQ(flags.error().exit_code, 2);
    EXPECT_THAT(flags.error().text, HasSubstr("--format: this command"));
  }
}

TEST(FlagsTest, CLI2_EveryFlagIsRead) {
  const auto flags = parse({"--async_scheduler",
                            "--plan_name",
                            "p",
                            "--plan",
                            "a.json",
                            "--plan_dir",
                            "d",
                            "--deadline_ms",
                            "100",
                            "--node_timeout_ms",
                            "2.5",
                            "--bench_concurrency",
                            "3",
                            "--env",
                            "prod",
                            "--cpu_threads",
                            "4",
                            "--loops",
                            "2",
                            "--dump-run-trace",
                            "t.json",
                            "--trace_file_max_mb",
                            "7",
                            "--concurrency",
                            "9",
                            "--max_rows",
                            "77",
                            "--max_request_memory",
                            "3MiB",
                            "--format",
                            "json",
                            "--log_format",
                            "text",
                            "--log_level",
                            "debug",
                            "--pin",
                            "--allow_scheduling_overrides"});
  ASSERT_TRUE(flags) << flags.error().text;
  EXPECT_EQ(flags->plan_name, "p");
  EXPECT_THAT(flags->plan_files, ElementsAre("a.json"));
  EXPECT_EQ(flags->plan_dir, "d");
  EXPECT_EQ(flags->deadline, std::chrono::milliseconds(100));
  EXPECT_EQ(flags->node_timeout, std::chrono::microseconds(2500));
  EXPECT_EQ(flags->bench_concurrency, 3);
  EXPECT_EQ(flags->run_concurrency, 9);
  EXPECT_EQ(flags->row_limits.rows_max, 77U);
  EXPECT_EQ(flags->row_limits.bytes_max, 3U << 20U);
  EXPECT_EQ(flags->trace_file_mb_max, 7);
  EXPECT_EQ(flags->env, "prod");
  EXPECT_EQ(flags->cpu_threads, 4U);
  EXPECT_EQ(flags->loops, 2U);
  EXPECT_TRUE(flags->pin);
  EXPECT_EQ(flags->dump_run_trace, "t.json");
  EXPECT_EQ(flags->format, Format::kJson);
  EXPECT_EQ(flags->log_format, base::LogFormat::kText);
  EXPECT_EQ(flags->log_level, base::LogLevel::kDebug);
  EXPECT_TRUE(flags->allow_scheduling_overrides);
}

TEST(FlagsTest, CLI2_SomeFlagsAreCommands) {
  EXPECT_EQ(parse({"--bench", "5"})->command, Subcommand::kBench);
  EXPECT_EQ(parse({"--bench", "5"})->bench_count, 5);
  EXPECT_EQ(parse({"--list-plans"})->command, Subcommand::kListPlans);
  EXPECT_EQ(parse({"--print-registry"})->command, Subcommand::kPrintRegistry);
  EXPECT_EQ(parse({"--print-task-manifest"})->command, Subcommand::kPrintTaskManifest);
}

TEST(FlagsTest, CLI3_EverySubcommandIsRead) {
  EXPECT_EQ(parse({"run"})->command, Subcommand::kRun);
  EXPECT_EQ(parse({"serve"})->command, Subcommand::kServe);
  EXPECT_EQ(parse({"bench", "--count", "7", "--concurrency", "2"})->bench_count, 7);
  EXPECT_EQ(parse({"bench"})->bench_count, 1000);
  EXPECT_EQ(parse({"explain", "feed"})->plan_name, "feed");
  EXPECT_THAT(parse({"check", "a", "b"})->plan_files, ElementsAre("a", "b"));
  EXPECT_EQ(parse({"seed", "--users", "9"})->seed_users, 9);
  EXPECT_EQ(parse({"doctor"})->command, Subcommand::kDoctor);
  EXPECT_EQ(parse({"probe", "127.0.0.1:1"})->probe_address, "127.0.0.1:1");
  EXPECT_FALSE(parse({"probe"}));
  EXPECT_EQ(parse({"top"})->top_address, "127.0.0.1:8080");
  EXPECT_EQ(parse({"top", "127.0.0.1:1", "--once", "--format", "json"})->top_address,
            "127.0.0.1:1");
  EXPECT_FALSE(parse({"top", "--interval", "0"}));
  EXPECT_EQ(parse({"explain", "feed", "--format", "json"})->format, Format::kJson);
}

TEST(FlagsTest, CMP4_PassesCanBeSwitchedOff) {
  EXPECT_TRUE(parse({"run"})->passes.use_top_k);
  EXPECT_FALSE(parse({"--passes", "off"})->passes.use_top_k);
  const auto some = parse({"--passes", "columns,filters"});
  EXPECT_TRUE(some->passes.prune_columns);
  EXPECT_TRUE(some->passes.merge_filters);
  EXPECT_FALSE(some->passes.merge_fetches);
}

TEST(FlagsTest, CLI5_MistakesEndWithTwo) {
  for (const auto& words : std::vector<std::vector<const char*>>{{"--nonsense"},
                                                                 {"--env", "moon"},
                                                                 {"--passes", "colums"},
                                                                 {"--loops", "0"},
                                                                 {"--bench", "0"},
                                                                 {"--deadline_ms", "x"},
                                                                 {"--high_water", "0"},
                                                                 {"--inflight_max", "-1"},
                                                                 {"--inflight_max", "1000001"},
                                                                 {"--format", "xml"},
                                                                 {"--format", "1"},
                                                                 {"run", "bench"}}) {
    const auto flags = parse(words);
    ASSERT_FALSE(flags) << words.front();
    EXPECT_EQ(flags.error().exit_code, 2);
    EXPECT_FALSE(flags.error().text.empty());
  }
}

TEST(FlagsTest, CLI5_AnUnknownFormatIsToldTheKnownOnes) {
  const auto flags = parse({"--format", "xml"});
  ASSERT_FALSE(flags);
  EXPECT_THAT(flags.error().text,
              HasSubstr("--format: 'xml' is none of text, json, dot, mermaid, svg"));
  EXPECT_THAT(flags.error().text, ::testing::Not(HasSubstr(std::string(1, '\0'))));
  EXPECT_EQ(parse({"--format", "JSON"})->format, Format::kJson);
}

TEST(FlagsTest, CLI2_HowMuchMayBeUnderWayIsSet) {
  const auto flags = parse({"run", "--high_water", "10", "--inflight_max", "3"});
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->high_water, 10);
  EXPECT_EQ(flags->inflight_max, 3);
  EXPECT_EQ(parse({})->high_water, 8192);
  EXPECT_EQ(parse({})->inflight_max, 1024);
}

TEST(FlagsTest, CLI5_HelpEndsWithZero) {
  const auto flags = parse({"--help"});
  ASSERT_FALSE(flags);
  EXPECT_EQ(flags.error().exit_code, 0);
  EXPECT_THAT(flags.error().text, HasSubstr("--plan_name"));
}

TEST(FlagsTest, CLI13_ExecutorSettingsAreFlagsOfTheProcess) {
  const auto flags = parse({"--inline_threshold_us",
                            "7",
                            "--max_inline_depth",
                            "0",
                            "--loop_inline_budget_us",
                            "300",
                            "--no_inline",
                            "--no_chaining",
                            "--high_water",
                            "5"});
  ASSERT_TRUE(flags) << flags.error().text;
  EXPECT_EQ(flags->inline_threshold, std::chrono::microseconds(7));
  EXPECT_EQ(flags->loop_inline_budget, std::chrono::microseconds(300));
  EXPECT_EQ(flags->max_inline_depth, 0U);
  EXPECT_FALSE(flags->inlining);
  EXPECT_FALSE(flags->chaining);
  EXPECT_EQ(flags->high_water, 5);
  EXPECT_TRUE(flags->given.contains("--no_inline"));
  EXPECT_FALSE(flags->given.contains("--loops"));
  EXPECT_TRUE(parse({})->inlining);
}

TEST(FlagsTest, CLI5_ATimeThatIsNoNumberIsWrongUsage) {
  for (const char* const text : {"nan", "inf", "-1", "x"})
    EXPECT_EQ(parse({"--deadline_ms", text}).error().exit_code, 2) << text;
}

}  // namespace
}  // namespace millrace::rankd::testing
