#include "graph/threads/watchdog.h"

#include <chrono>
#include <optional>

#include <gtest/gtest.h>

#include "graph/body/invocation_record.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

TEST(Watchdog, G44_AnOverrunIsReportedOnceAndCancellationRequested) {
  int wakes = 0;
  Watchdog watchdog([&wakes] { ++wakes; });
  InvocationRecord record;
  record.component = 3;
  static_cast<void>(watchdog.arm({.record = &record, .domain = 1, .budget_at = 10ms}));
  EXPECT_EQ(wakes, 1);
  WatchFindings findings = watchdog.look(9ms);
  EXPECT_TRUE(findings.overruns.empty());
  EXPECT_EQ(findings.next, std::optional<Duration>(10ms));
  EXPECT_FALSE(record.was_cancelled);
  findings = watchdog.look(10ms);
  ASSERT_EQ(findings.overruns.size(), 1U);
  EXPECT_EQ(findings.overruns[0].component, 3U);
  EXPECT_EQ(findings.overruns[0].domain, 1U);
  EXPECT_EQ(findings.overruns[0].at, 10ms);
  EXPECT_TRUE(record.was_cancelled);
  EXPECT_TRUE(record.was_reported);
  EXPECT_EQ(findings.next, std::nullopt);
  EXPECT_TRUE(watchdog.look(20ms).overruns.empty());
}

TEST(Watchdog, ACallThatEndedIsNotTouched) {
  Watchdog watchdog({});
  InvocationRecord record;
  watchdog.disarm(watchdog.arm({.record = &record, .budget_at = 1ms}));
  EXPECT_TRUE(watchdog.look(5ms).overruns.empty());
  EXPECT_FALSE(record.was_cancelled);
}

TEST(Watchdog, OnlyAnEarlierTimeWakes) {
  int wakes = 0;
  Watchdog watchdog([&wakes] { ++wakes; });
  InvocationRecord record;
  static_cast<void>(watchdog.arm({.record = &record, .budget_at = 10ms}));
  static_cast<void>(watchdog.arm({.record = &record, .budget_at = 12ms}));
  EXPECT_EQ(wakes, 1);
  static_cast<void>(watchdog.arm({.record = &record, .budget_at = 5ms}));
  EXPECT_EQ(wakes, 2);
}

TEST(Watchdog, G44_WhatIsToBeGivenUpIsFoundOnce) {
  Watchdog watchdog({});
  InvocationRecord record;
  static_cast<void>(watchdog.arm({.record = &record, .budget_at = 5ms, .abandon_at = 20ms}));
  EXPECT_EQ(watchdog.look(5ms).next, std::optional<Duration>(20ms));
  EXPECT_EQ(watchdog.look(20ms).to_abandon.size(), 1U);
  EXPECT_TRUE(watchdog.look(21ms).to_abandon.empty());
}

}  // namespace
}  // namespace millrace::graph
