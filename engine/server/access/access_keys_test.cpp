#include "server/access/access_keys.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"

namespace millrace::server {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

std::string entry(const std::string& name,
                  const std::string& secret,
                  const std::string& more = "") {
  return "[[key]]\nname = \"" + name + "\"\nhash = \"" + base::sha256_digest(secret) + "\"\n" +
         more + "\n";
}

AccessKeys read_good(const std::string& text, const AccessKeys* previous = nullptr) {
  base::ProblemReport report;
  AccessKeys keys = AccessKeys::read(text, "keys.toml", previous, report);
  EXPECT_EQ(report.to_text(), "");
  return keys;
}

std::string problems_of(const std::string& text) {
  base::ProblemReport report;
  (void)AccessKeys::read(text, "keys.toml", nullptr, report);
  return report.to_text();
}

TEST(AccessKeysTest, S37_AKeyIsFoundByTheDigestOfItsText) {
  const AccessKeys keys = read_good(entry("a", "first") + entry("b", "second", "admin = true"));
  ASSERT_NE(keys.find("second"), nullptr);
  EXPECT_EQ(keys.find("second")->name, "b");
  EXPECT_TRUE(keys.find("second")->is_admin);
  EXPECT_FALSE(keys.find("first")->is_admin);
  for (const char* wrong : {"", "secon", "second ", "Second"}) EXPECT_EQ(keys.find(wrong), nullptr);
  // A digest is no key.
  EXPECT_EQ(keys.find(base::sha256_digest("first")), nullptr);
}

TEST(AccessKeysTest, DigestsMayHaveUpperCase) {
  std::string digest = base::sha256_digest("x");
  for (std::size_t at = digest.find(':'); at < digest.size(); ++at) {
    if (digest[at] >= 'a') digest[at] = static_cast<char>(digest[at] - 'a' + 'A');
  }
  const AccessKeys keys = read_good("[[key]]\nname = \"a\"\nhash = \"" + digest + "\"\n");
  EXPECT_NE(keys.find("x"), nullptr);
}

TEST(AccessKeysTest, S37_EveryProblemOfAFileIsReportedWithItsPlace) {
  EXPECT_THAT(problems_of(""), HasSubstr("The file has no key"));
  EXPECT_THAT(problems_of("[[key]\n"), HasSubstr("keys.toml:1"));
  EXPECT_THAT(problems_of("[[key]]\nname = \"a\"\n"), HasSubstr("hash"));
  const std::string text = problems_of("[[key]]\nname = \"a b\"\nhash = \"hunter2\"\nrat = 1\n" +
                                       entry("c", "s", "rate = 0\ninflight_max = 0") +
                                       entry("c", "s", "priority_max = \"best\"\nplans = [1]"));
  EXPECT_THAT(text, HasSubstr("Not a name for a key"));
  EXPECT_THAT(text, HasSubstr("did you mean 'rate'"));
  EXPECT_THAT(text, HasSubstr("keys.toml:3"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("hunter2")));
  EXPECT_THAT(text, HasSubstr("rate is 0"));
  EXPECT_THAT(text, HasSubstr("inflight_max is below 1"));
  EXPECT_THAT(text, HasSubstr("Two keys have the name"));
  EXPECT_THAT(text, HasSubstr("The key is that of 'c'"));
  EXPECT_THAT(text, HasSubstr("best"));
  EXPECT_THAT(text, HasSubstr("plans[0]"));
}

TEST(AccessKeysTest, S37_PlansAreGlobs) {
  const AccessKeys keys =
      read_good(entry("a", "x", "plans = [\"home_*\", \"se?rch\"]") + entry("b", "y"));
  const AccessKey& some = *keys.find("x");
  EXPECT_TRUE(some.may_use("home_feed"));
  EXPECT_TRUE(some.may_use("search"));
  EXPECT_FALSE(some.may_use("home"));
  EXPECT_FALSE(some.may_use(""));
  EXPECT_TRUE(keys.find("y")->may_use("anything"));
  EXPECT_FALSE(read_good(entry("a", "x", "plans = []")).find("x")->may_use("p"));
}

TEST(AccessKeysTest, GlobsTakeTheTimeOfTheirLengths) {
  EXPECT_TRUE(fits_glob("*", ""));
  EXPECT_TRUE(fits_glob("a*b*c", "a1b2b3c"));
  EXPECT_FALSE(fits_glob("a*b*c", "a1b2b3"));
  EXPECT_TRUE(fits_glob("**", "x"));
  EXPECT_FALSE(fits_glob("?", ""));
  std::string glob;
  for (int index = 0; index < 60; ++index) glob += "*a";
  EXPECT_FALSE(fits_glob(glob + "b", std::string(128, 'a')));
}

TEST(KeyUsageTest, S37_ASecondsWorthMayComeAtOnceAndThenTheRateHolds) {
  KeyUsage usage;
  base::TimePoint now{1h};
  int taken = 0;
  while (usage.try_take(100, now)) ++taken;
  EXPECT_EQ(taken, 100);
  for (int step = 0; step < 1000; ++step) {
    now += 1ms;
    while (usage.try_take(100, now)) ++taken;
  }
  EXPECT_EQ(taken, 200);
  // After a pause there is one second's worth again and not more.
  now += 1h;
  taken = 0;
  while (usage.try_take(100, now)) ++taken;
  EXPECT_EQ(taken, 100);
}

TEST(KeyUsageTest, RatesBelowOnePerSecondLetSingleRequestsThrough) {
  KeyUsage usage;
  const base::TimePoint now{1h};
  EXPECT_TRUE(usage.try_take(0.1, now));
  EXPECT_FALSE(usage.try_take(0.1, now + 9s));
  EXPECT_TRUE(usage.try_take(0.1, now + 10s));
}

TEST(KeyUsageTest, S37_WhatAKeyHasUsedOutlivesItsFile) {
  const AccessKeys old = read_good(entry("a", "x", "inflight_max = 1") + entry("b", "y"));
  EXPECT_TRUE(old.find("x")->usage->try_enter(1));
  const AccessKeys fresh = read_good(entry("a", "rotated", "inflight_max = 2"), &old);
  EXPECT_EQ(fresh.find("x"), nullptr);
  const AccessKey& key = *fresh.find("rotated");
  EXPECT_EQ(key.usage->inflight_count(), 1);
  EXPECT_TRUE(key.usage->try_enter(2));
  EXPECT_FALSE(key.usage->try_enter(2));
}

}  // namespace
}  // namespace millrace::server
