#include "bench/capacity/key_curve.h"

#include <array>
#include <cstdint>

#include <gtest/gtest.h>

#include "base/random.h"

namespace millrace::bench {
namespace {

TEST(KeyCurveTest, DrawsKeysAsOftenAsTheCurveSays) {
  const KeyCurve keys = zipf_curve(1, 3);  // 6/11, 3/11, 2/11
  base::SplitMix64 random(5);
  std::array<int, 4> counts{};
  for (int i = 0; i < 11'000; ++i) ++counts[keys.draw(random)];
  EXPECT_EQ(counts[0], 0);
  EXPECT_NEAR(counts[1], 6000, 200);
  EXPECT_NEAR(counts[2], 3000, 200);
  EXPECT_NEAR(counts[3], 2000, 200);
}

TEST(KeyCurveTest, SIZ6_AThousandPackagesHoldMostDownloads) {
  const KeyCurve keys = package_curve();
  EXPECT_NEAR(keys.share_of_first(1000), 0.58, 0.01);
  EXPECT_EQ(keys.share_of_first(keys.key_count()), 1);
  base::SplitMix64 random(5);
  for (int i = 0; i < 1000; ++i) EXPECT_LE(keys.draw(random), keys.key_count());
}

}  // namespace
}  // namespace millrace::bench
