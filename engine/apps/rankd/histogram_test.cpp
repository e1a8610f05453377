#include "apps/rankd/histogram.h"

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::rankd {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(HistogramTest, CountsEveryRequestOnce) {
  std::vector<base::Duration> latencies;
  for (int i = 1; i <= 1000; ++i) latencies.emplace_back(std::chrono::microseconds(i));
  const std::string text = draw_histogram(latencies);
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  std::size_t sum = 0;
  std::size_t count = 0;
  for (; std::getline(lines, line); ++count) {
    double edge = 0;
    std::string unit;
    std::size_t requests = 0;
    std::istringstream(line) >> edge >> unit >> requests;
    sum += requests;
  }
  EXPECT_EQ(sum, 1000U);
  EXPECT_EQ(count, 12U);
  EXPECT_THAT(text, HasSubstr("1000.0 us"));
}

TEST(HistogramTest, EqualLatenciesAreOneClassAndNoneIsNothing) {
  EXPECT_EQ(draw_histogram({}), "");
  const std::vector<base::Duration> latencies(3, base::Duration(5us));
  const std::string text = draw_histogram(latencies);
  EXPECT_THAT(text, HasSubstr("           5.0 us         3  ████"));
}

TEST(HistogramTest, ALoneSlowRequestIsSeen) {
  std::vector<base::Duration> latencies(10'000, base::Duration(10us));
  latencies.emplace_back(1s);
  EXPECT_THAT(draw_histogram(latencies), HasSubstr("1000000.0 us         1  ▏"));
}

}  // namespace
}  // namespace millrace::rankd
