#include "bench/faults/phase_report.h"

#include <chrono>
#include <vector>

#include <gtest/gtest.h>

namespace millrace::bench {
namespace {

using live::Verdict;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

constexpr base::Duration kDeadline = 50ms;

base::TimePoint at(base::Duration time) { return base::TimePoint(time); }

/// One request each millisecond until `end`, answered in full after 200 us.
std::vector<Sample> quick(base::Duration end) {
  std::vector<Sample> samples;
  for (base::Duration time{}; time < end; time += 1ms) {
    samples.push_back(
        {.started = at(time), .answered = at(time + 200us), .verdict = Verdict::kFull});
  }
  return samples;
}

TEST(PhaseReportTest, CountsTheRequestsThatStartedInThePhase) {
  std::vector<Sample> samples = quick(10ms);
  samples[4].verdict = Verdict::kError;
  samples[5].verdict = Verdict::kDegraded;
  samples[6].verdict = Verdict::kWrong;
  const Phase phase{.name = "p", .begin = at(2ms), .end = at(9ms)};
  const PhaseReport report = report_of(phase, samples, kDeadline, {});
  EXPECT_EQ(report.requests, 7);
  EXPECT_EQ(report.full, 4);
  EXPECT_EQ(report.errors, 1);
  EXPECT_EQ(report.degraded, 1);
  EXPECT_EQ(report.wrong, 1);
  EXPECT_FALSE(report.full_speed_ms);
}

TEST(PhaseReportTest, LatenessIsOfThoseAfterTheirDeadlineOnly) {
  std::vector<Sample> samples = quick(5ms);
  samples[1].answered = samples[1].started + kDeadline;
  samples[2].answered = samples[2].started + kDeadline + 3ms;
  samples[3].answered = samples[3].started + kDeadline + 1ms;
  const Phase phase{.name = "p", .begin = at(0ms), .end = at(5ms)};
  EXPECT_EQ(report_of(phase, samples, kDeadline, {}).lateness_ms, (std::vector<double>{1, 3}));
}

TEST(PhaseReportTest, WhatLacksItemsIsWrongUnlessKeysWereMissing) {
  std::vector<Sample> samples = quick(10ms);
  for (const std::size_t i : {2U, 5U, 8U}) samples[i].verdict = Verdict::kPartial;
  const Phase phase{.name = "p",
                    .begin = at(0ms),
                    .end = at(10ms),
                    .rounds = {{.recovered = at(5ms), .emptied = at(4ms), .filled = at(6ms)}}};
  const PhaseReport report = report_of(phase, samples, kDeadline, {});
  EXPECT_EQ(report.partial, 1);
  EXPECT_EQ(report.wrong, 2);
}

TEST(PhaseReportTest, FullSpeedBeginsWithTheFirstOfSomeGoodWindows) {
  std::vector<Sample> samples = quick(400ms);
  for (std::size_t i = 100; i < 150; ++i) samples[i].verdict = Verdict::kError;
  samples[180].verdict = Verdict::kError;
  for (std::size_t i = 200; i < 225; ++i) samples[i].answered += 2ms;
  const Phase phase{.name = "p",
                    .begin = at(0ms),
                    .end = at(400ms),
                    .rounds = {{.began = at(50ms), .recovered = at(100ms)},
                               {.began = at(300ms), .recovered = at(320ms)}}};
  const FullSpeed full_speed{.window = 25ms, .windows_in_a_row = 2};
  // The window from 150 to 175 is good but alone; 175 has an error, 200 is slow, 225 and 250 are
  // good.
  EXPECT_EQ(report_of(phase, samples, kDeadline, full_speed).full_speed_ms, 125);
}

TEST(PhaseReportTest, FullSpeedThatNeverComesTakesUntilTheEnd) {
  std::vector<Sample> samples = quick(400ms);
  for (std::size_t i = 0; i < 400; i += 20) samples[i].verdict = Verdict::kError;
  const Phase phase{
      .name = "p", .begin = at(0ms), .end = at(400ms), .rounds = {{.recovered = at(100ms)}}};
  EXPECT_EQ(report_of(phase, samples, kDeadline, {}).full_speed_ms, 300);
}

TEST(PhaseReportTest, TheNextFaultEndsTheWaitForFullSpeed) {
  std::vector<Sample> samples = quick(400ms);
  for (std::size_t i = 0; i < 200; i += 20) samples[i].verdict = Verdict::kError;
  const Phase phase{.name = "p",
                    .begin = at(0ms),
                    .end = at(400ms),
                    .rounds = {{.began = at(10ms), .recovered = at(20ms)},
                               {.began = at(200ms), .recovered = at(200ms)}}};
  EXPECT_EQ(report_of(phase, samples, kDeadline, {}).full_speed_ms, 180);
}

TEST(PhaseReportTest, PercentilesAreValuesThatOccurred) {
  const std::vector<double> values{1, 2, 3, 4};
  EXPECT_EQ(percentile(values, 0.5), 2);
  EXPECT_EQ(percentile(values, 0.999), 4);
  EXPECT_EQ(percentile(values, 0), 1);
  EXPECT_EQ(percentile({}, 0.5), 0);
}

TEST(PhaseReportTest, LatenessOfAShareCountsThoseInTime) {
  const PhaseReport report{.name = "p", .requests = 10, .lateness_ms = {2, 7}};
  EXPECT_EQ(lateness_at(report, 0.5), 0);
  EXPECT_EQ(lateness_at(report, 0.8), 0);
  EXPECT_EQ(lateness_at(report, 0.9), 2);
  EXPECT_EQ(lateness_at(report, 0.999), 7);
  EXPECT_EQ(lateness_at({.name = "nothing"}, 0.999), 0);
}

TEST(PhaseReportTest, BarsAreMissedByWhatIsAboveThem) {
  PhaseReport report{
      .name = "p", .requests = 1000, .wrong = 1, .lateness_ms = {6, 51}, .full_speed_ms = 1001};
  std::vector<Figure> figures;
  append_figures(report, figures);
  ASSERT_EQ(figures.size(), 4U);
  for (const Figure& figure : figures) EXPECT_FALSE(figure.passed()) << figure.name;
}

}  // namespace
}  // namespace millrace::bench
