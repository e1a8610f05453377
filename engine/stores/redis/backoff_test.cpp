#include "stores/redis/backoff.h"

#include <chrono>

#include <gtest/gtest.h>

#include "base/random.h"

namespace millrace::stores::testing {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(BackoffTest, DoublesUpToALimitAndIsShortenedByUpToHalf) {
  base::SplitMix64 random(7);
  Backoff backoff({.first = 10ms, .longest = 35ms}, random);
  for (const base::Duration whole : {10ms, 20ms, 35ms, 35ms}) {
    const base::Duration wait = backoff.next();
    EXPECT_LE(wait, whole);
    EXPECT_GE(wait, whole / 2);
  }
  backoff.reset();
  EXPECT_LE(backoff.next(), 10ms);
}

}  // namespace
}  // namespace millrace::stores::testing
