#include "apps/topoexec/run_session.h"

#include <chrono>

#include <gtest/gtest.h>

#include "apps/topoexec/flags.h"
#include "graph/run/run_options.h"

namespace millrace::topoexec {
namespace {

TEST(RunSessionTest, FlagsBecomeBoundsAndAStopReachesTheRun) {
  Flags flags;
  flags.steps = 7;
  flags.duration_ms = 20;
  flags.virtual_time = true;
  graph::RuntimeRunnerOptions options = options_of(flags);
  EXPECT_EQ(options.steps, 7U);
  EXPECT_EQ(options.duration, std::chrono::milliseconds(20));
  EXPECT_TRUE(options.virtual_time);
  RunSession session(flags);
  session.prepare(options);
  EXPECT_FALSE(options.stop_token.stop_requested());
  session.stop();
  EXPECT_TRUE(options.stop_token.stop_requested());
  options.close_input();
  EXPECT_FALSE(options.standard_input());
}

}  // namespace
}  // namespace millrace::topoexec
