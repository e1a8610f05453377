#include "rows/quick_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "rows/stop_check.h"

namespace millrace::rows {
namespace {

// Arrays that are random, sorted either way, full of equal values, or made to yield bad pivots.
std::vector<std::vector<std::uint64_t>> arrays() {
  std::vector<std::vector<std::uint64_t>> out;
  base::SplitMix64 random(7);
  for (const std::size_t count : {0, 1, 2, 3, 12, 13, 14, 50, 232, 1000}) {
    for (const std::uint64_t distinct : {1, 3, 1'000'000'000}) {
      std::vector<std::uint64_t> values(count);
      for (std::uint64_t& value : values) value = random.below(distinct);
      out.push_back(values);
      std::ranges::sort(values);
      out.push_back(values);
      std::ranges::reverse(values);
      out.push_back(values);
    }
    // Rises, then falls: the median of first, middle and last is always extreme.
    std::vector<std::uint64_t> organ(count);
    for (std::size_t i = 0; i < count; ++i) organ[i] = std::min(i, count - i);
    out.push_back(organ);
  }
  return out;
}

TEST(QuickOrderTest, SortsAsTheStandardLibraryDoes) {
  const StopCheck never;
  StopPacer pacer(never);
  for (const std::vector<std::uint64_t>& array : arrays()) {
    std::vector<std::uint64_t> expected = array;
    std::ranges::sort(expected);
    std::vector<std::uint64_t> values = array;
    EXPECT_TRUE(quick_sort(values.data(), values.data() + values.size(), std::less<>(), pacer));
    EXPECT_EQ(values, expected);
  }
}

TEST(QuickOrderTest, SelectsTheNthWithSmallerOnesBeforeIt) {
  const StopCheck never;
  StopPacer pacer(never);
  for (const std::vector<std::uint64_t>& array : arrays()) {
    std::vector<std::uint64_t> sorted = array;
    std::ranges::sort(sorted);
    for (std::size_t nth = 0; nth < array.size(); nth += 1 + array.size() / 7) {
      std::vector<std::uint64_t> values = array;
      EXPECT_TRUE(quick_select(
          values.data(), values.data() + nth, values.data() + values.size(), std::less<>(), pacer));
      EXPECT_EQ(values[nth], sorted[nth]);
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_TRUE(i < nth ? values[i] <= values[nth] : values[i] >= values[nth]);
      }
      std::ranges::sort(values);
      EXPECT_EQ(values, sorted);
    }
  }
}

// A comparison counter bounds the work where every pivot is bad: all elements equal.
TEST(QuickOrderTest, BadPivotsDoNotMakeItQuadratic) {
  const StopCheck never;
  StopPacer pacer(never);
  std::vector<std::uint64_t> values(20'000, 4);
  std::size_t comparisons = 0;
  const auto counted_less = [&comparisons](std::uint64_t left, std::uint64_t right) {
    ++comparisons;
    return left < right;
  };
  EXPECT_TRUE(quick_sort(values.data(), values.data() + values.size(), counted_less, pacer));
  EXPECT_LT(comparisons, 20'000U * 100);
  comparisons = 0;
  EXPECT_TRUE(quick_select(
      values.data(), values.data() + 10'000, values.data() + values.size(), counted_less, pacer));
  EXPECT_LT(comparisons, 20'000U * 100);
}

}  // namespace
}  // namespace millrace::rows
