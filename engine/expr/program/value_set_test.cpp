#include "expr/program/value_set.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace millrace::expr {
namespace {

TEST(NumberSetTest, AgreesWithAnOrderedSet) {
  base::SplitMix64 random(7);
  for (const std::size_t count : {0, 1, 2, 7, 8, 9, 100, 1000}) {
    std::vector<std::int64_t> elements;
    for (std::size_t i = 0; i < count; ++i) {
      elements.push_back(static_cast<std::int64_t>(random.below(2 * count)) - 50);
    }
    const std::set<std::int64_t> expected(elements.begin(), elements.end());
    const NumberSet<std::int64_t> set(elements);
    std::vector<std::int64_t> asked{std::numeric_limits<std::int64_t>::min(),
                                    std::numeric_limits<std::int64_t>::max()};
    for (std::int64_t value = -60; value < static_cast<std::int64_t>(2 * count); ++value) {
      asked.push_back(value);
    }
    std::vector<std::uint8_t> found(asked.size(), 7);
    set.test(asked, found.data());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      EXPECT_EQ(found[i], expected.contains(asked[i]) ? 1 : 0) << asked[i] << " of " << count;
    }
  }
}

TEST(NumberSetTest, TreatsZerosAsOneAndNanAsNone) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> elements{-0.0, kNan};
  for (const std::size_t extra : {0, 20}) {
    for (std::size_t i = 0; i < extra; ++i) elements.push_back(100.0 + static_cast<double>(i));
    const NumberSet<double> set(elements);
    const std::vector<double> asked{0.0, -0.0, kNan, 1.0};
    std::vector<std::uint8_t> found(asked.size());
    set.test(asked, found.data());
    EXPECT_EQ(found, (std::vector<std::uint8_t>{1, 1, 0, 0}));
  }
}

TEST(StringSetTest, FindsByBytes) {
  const StringSet set({"b", "", "a", "b", std::string("a\0", 2)});
  EXPECT_TRUE(set.contains("a"));
  EXPECT_TRUE(set.contains(""));
  EXPECT_TRUE(set.contains(std::string_view("a\0", 2)));
  EXPECT_FALSE(set.contains("A"));
  EXPECT_FALSE(StringSet({}).contains(""));
}

}  // namespace
}  // namespace millrace::expr
