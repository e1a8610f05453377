#include "base/log/log.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/log/log_record.h"
#include "base/log/log_sink.h"
#include "base/wall_clock.h"

namespace millrace::base {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class LoggerTest : public testing::Test {
 protected:
  MemoryLogSink sink_;
  ManualWallClock wall_clock_{WallTime(seconds(1'709'208'000))};
  ManualClock clock_;
  std::unique_ptr<Logger> log_ = std::make_unique<Logger>(
      sink_, LoggerOptions{.repeats = {.burst_max = 2, .window = seconds(1)}}, wall_clock_, clock_);
};

TEST_F(LoggerTest, StampsTimeLevelEventAndFields) {
  log_->info("run_end", "Run finished", {{"nodes", 10}, {"status", "ok"}});
  EXPECT_THAT(sink_.lines(),
              ElementsAre(R"({"ts":"2024-02-29T12:00:00.000000Z","level":"info",)"
                          R"("msg":"Run finished","event":"run_end","nodes":10,"status":"ok"})"));
}

TEST_F(LoggerTest, DropsLinesBelowTheLevel) {
  log_->debug("step", "Too detailed");
  EXPECT_THAT(sink_.lines(), IsEmpty());
  EXPECT_FALSE(log_->is_enabled(LogLevel::kDebug));
  EXPECT_TRUE(log_->is_enabled(LogLevel::kInfo));
}

TEST_F(LoggerTest, HoldsBackRepeatedErrorsAndSaysHowMany) {
  for (int attempt = 0; attempt < 10; ++attempt) log_->error("peer_down", "No answer");
  EXPECT_EQ(sink_.lines().size(), 2U);
  clock_.advance(seconds(1));
  log_->error("peer_down", "No answer");
  ASSERT_EQ(sink_.lines().size(), 3U);
  EXPECT_THAT(sink_.lines()[2], HasSubstr(R"("suppressed":8)"));
}

TEST_F(LoggerTest, NeverHoldsBackInformation) {
  for (int run = 0; run < 10; ++run) log_->info("run_end", "Run finished");
  EXPECT_EQ(sink_.lines().size(), 10U);
}

TEST_F(LoggerTest, HoldsBackRepeatedInformationIfAsked) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    log_->write_limited(LogLevel::kInfo, "peer_up", "Connected");
  }
  EXPECT_EQ(sink_.lines().size(), 2U);
  log_->write_limited(LogLevel::kDebug, "step", "Too detailed");
  EXPECT_EQ(sink_.lines().size(), 2U);
}

TEST_F(LoggerTest, ReportsEventsThatFellSilentBeforeALaterWarning) {
  for (int attempt = 0; attempt < 5; ++attempt) log_->warning("slow", "Slow node");
  log_->warning("other", "Within the window");
  EXPECT_EQ(sink_.lines().size(), 3U);
  clock_.advance(seconds(1));
  log_->warning("other", "After it");
  ASSERT_EQ(sink_.lines().size(), 5U);
  EXPECT_THAT(sink_.lines()[3],
              HasSubstr(R"("event":"repeats_suppressed","of":"slow","suppressed":3)"));
  EXPECT_THAT(sink_.lines()[4], HasSubstr("After it"));
}

TEST_F(LoggerTest, ReportsTheRestWhenItEnds) {
  for (int attempt = 0; attempt < 5; ++attempt) log_->warning("slow", "Slow node");
  log_.reset();
  ASSERT_EQ(sink_.lines().size(), 3U);
  EXPECT_THAT(sink_.lines()[2], HasSubstr(R"("suppressed":3)"));
}

TEST_F(LoggerTest, CountsEveryLineFromManyThreads) {
  constexpr int kThreadCount = 4;
  constexpr int kLineCount = 500;
  std::vector<std::jthread> threads;
  threads.reserve(kThreadCount);
  for (int thread = 0; thread < kThreadCount; ++thread) {
    threads.emplace_back([this] {
      for (int line = 0; line < kLineCount; ++line) log_->error("peer_down", "No answer");
    });
  }
  threads.clear();
  clock_.advance(seconds(1));
  log_->error("peer_down", "No answer");
  EXPECT_EQ(sink_.lines().size(), 3U);
  EXPECT_THAT(sink_.lines()[2],
              HasSubstr("\"suppressed\":" + std::to_string(kThreadCount * kLineCount - 2)));
}

}  // namespace
}  // namespace millrace::base
