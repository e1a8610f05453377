#include "nats/subject.h"

#include <gtest/gtest.h>

namespace millrace::nats {
namespace {

TEST(SubjectTest, TokensAreNeverEmptyAndHaveNoWildcards) {
  for (const char* good : {"a", "rank.home", "rank.v1.home-page_2", "rank.früh", "$SRV.PING"})
    EXPECT_TRUE(is_subject(good)) << good;
  for (const char* bad : {"", ".", "a.", ".a", "a..b", "a.*", "a.>", "*", "a b", "a\tb", "a\x7f"})
    EXPECT_FALSE(is_subject(bad)) << bad;
}

}  // namespace
}  // namespace millrace::nats
