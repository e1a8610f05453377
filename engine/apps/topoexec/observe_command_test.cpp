#include "apps/topoexec/observe_command.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/topoexec/commands.h"
#include "apps/topoexec/flags.h"

namespace millrace::topoexec {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Flags observe_flags() {
  Flags flags;
  flags.command = Subcommand::kObserve;
  flags.file = std::string(MILLRACE_SOURCE_DIR) + "/examples/graphs/greenhouse.yaml";
  flags.steps = 3;
  flags.interval_ms = 60'000;
  return flags;
}

/// What a command wrote to standard output while it ran.
struct Captured {
  Outcome outcome;
  std::string written;
};
Captured run_captured(const Flags& flags) {
  testing::internal::CaptureStdout();
  Outcome outcome = run_command(flags);
  return {.outcome = outcome, .written = testing::internal::GetCapturedStdout()};
}

TEST(ObserveTest, ShowsTheLastStateOfARunThatEnds) {
  const Captured captured = run_captured(observe_flags());
  EXPECT_EQ(captured.outcome.exit_code, 0) << captured.outcome.err;
  EXPECT_THAT(captured.written, StartsWith("greenhouse: ended for "));
  EXPECT_THAT(captured.written, testing::ContainsRegex("sense +3 "));
  EXPECT_THAT(captured.written, testing::Not(HasSubstr("\x1b"))) << "a pipe gets no escapes";
  EXPECT_THAT(captured.written, testing::Not(HasSubstr("{\"component\""))) << "sinks are mute";
  EXPECT_THAT(captured.outcome.err, HasSubstr("greenhouse: ok (tick_bound)"));
}

TEST(ObserveTest, GivesJsonLines) {
  Flags flags = observe_flags();
  flags.format = Format::kJson;
  const Captured captured = run_captured(flags);
  EXPECT_THAT(captured.written, StartsWith(R"({"ok":true,"graph":"greenhouse","status":"ended",)"));
  EXPECT_THAT(captured.outcome.err, IsEmpty());
}

TEST(ObserveTest, OnceLooksAndStopsTheGraph) {
  Flags flags = observe_flags();
  flags.steps.reset();
  flags.once = true;
  flags.interval_ms = 10;
  const Captured captured = run_captured(flags);
  EXPECT_EQ(captured.outcome.exit_code, 0) << captured.outcome.err;
  EXPECT_THAT(captured.written, StartsWith("greenhouse: running for "));
  EXPECT_THAT(captured.outcome.err, HasSubstr("(stop_requested)"));
}

TEST(ObserveTest, WhatCannotBeWatchedIsSaid) {
  Flags flags = observe_flags();
  flags.virtual_time = true;
  EXPECT_EQ(run_command(flags).exit_code, 2);
  flags = observe_flags();
  flags.file = "127.0.0.1:1";
  EXPECT_TRUE(names_address(flags));
  EXPECT_EQ(run_command(flags).exit_code, 1) << "nobody listens there";
  flags.file = "no/such/file.yaml";
  EXPECT_FALSE(names_address(flags));
  EXPECT_EQ(run_command(flags).exit_code, 2);
  Flags why;
  why.command = Subcommand::kWhy;
  why.component = "window";
  why.at = "unix:/no/such/socket";
  EXPECT_EQ(run_command(why).exit_code, 1);
}

}  // namespace
}  // namespace millrace::topoexec
