#include "base/random.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

/// Gives the same bits for ever, to reach the ends of ranges.
class ConstantRandom final : public Random {
 public:
  explicit ConstantRandom(std::uint64_t bits) : bits_(bits) {}
  [[nodiscard]] std::uint64_t next() override { return bits_; }

 private:
  std::uint64_t bits_;
};

constexpr std::uint64_t kAllBits = std::numeric_limits<std::uint64_t>::max();

TEST(SplitMix64Test, GivesThePublishedSequence) {
  SplitMix64 random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  EXPECT_EQ(random.next(), 9817491932198370423U);
}

TEST(SplitMix64Test, SameSeedSameSequence) {
  SplitMix64 left(7);
  SplitMix64 right(7);
  for (int draw = 0; draw < 100; ++draw) EXPECT_EQ(left.next(), right.next());
}

TEST(RandomTest, BelowStaysInRangeAtBothEnds) {
  EXPECT_EQ(ConstantRandom(0).below(10), 0U);
  EXPECT_EQ(ConstantRandom(kAllBits).below(10), 9U);
  EXPECT_EQ(ConstantRandom(kAllBits).below(1), 0U);
  EXPECT_EQ(ConstantRandom(kAllBits).below(kAllBits), kAllBits - 1);
}

TEST(RandomTest, BelowReachesEveryValueAboutEqually) {
  SplitMix64 random(42);
  std::array<int, 7> counts{};
  for (int draw = 0; draw < 7000; ++draw) ++counts.at(static_cast<std::size_t>(random.below(7)));
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(RandomTest, UnitIsHalfOpen) {
  EXPECT_EQ(ConstantRandom(0).unit(), 0.0);
  EXPECT_LT(ConstantRandom(kAllBits).unit(), 1.0);
  EXPECT_GT(ConstantRandom(kAllBits).unit(), 0.9999999999999997);
}

TEST(RandomTest, ChanceKnowsNeverAndAlways) {
  EXPECT_FALSE(ConstantRandom(0).chance(0.0));
  EXPECT_TRUE(ConstantRandom(kAllBits).chance(1.0));
}

}  // namespace
}  // namespace millrace::base
