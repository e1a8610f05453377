#include "base/sync/thread_settings.h"

#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>

namespace millrace::base {
namespace {

/// Applies settings to a thread of its own, so that the test's thread stays as it is.
std::vector<ThreadSettingOutcome> apply_apart(const ThreadSettings& settings) {
  std::vector<ThreadSettingOutcome> outcomes;
  std::thread thread([&] { outcomes = apply_thread_settings(settings); });
  thread.join();
  return outcomes;
}

TEST(ThreadSettings, DefaultsAskForNothing) { EXPECT_TRUE(apply_apart({}).empty()); }

TEST(ThreadSettings, ANameIsCutToWhatTheSystemShowsAndReadBack) {
  const auto outcomes = apply_apart({.name = "a-name-of-twenty-byt"});
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].effective, "a-name-of-twent");
  EXPECT_TRUE(outcomes[0].is_met());
}

TEST(ThreadSettings, AffinityIsReadBackAndAnUnknownProcessorIsAnError) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int first = 0;
  while (!CPU_ISSET(static_cast<std::size_t>(first), &allowed)) ++first;
  const auto outcomes = apply_apart({.cpus = {first, first}});
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].effective, std::to_string(first));
  EXPECT_TRUE(outcomes[0].is_met());
  const auto refused = apply_apart({.cpus = {100'000}});
  EXPECT_EQ(refused[0].error, EINVAL);
  EXPECT_FALSE(refused[0].is_met());
}

TEST(ThreadSettings, WhatTheSystemRefusesHasItsErrorAndWhatIsInForce) {
  // Whether the system allows these depends on the user; what is told must fit together.
  for (const ThreadSettings& settings :
       {ThreadSettings{.nice = -5},
        ThreadSettings{.policy = ThreadPolicy::kFifo, .policy_priority = 10},
        ThreadSettings{.policy = ThreadPolicy::kRoundRobin, .policy_priority = 3}}) {
    const auto outcomes = apply_apart(settings);
    ASSERT_EQ(outcomes.size(), 1U);
    EXPECT_EQ(outcomes[0].error == 0, outcomes[0].is_met()) << outcomes[0].field;
    EXPECT_FALSE(outcomes[0].effective.empty());
  }
  const auto impossible = apply_apart({.policy = ThreadPolicy::kFifo, .policy_priority = 1000});
  EXPECT_NE(impossible[0].error, 0);
  EXPECT_EQ(impossible[0].effective, "none");
}

}  // namespace
}  // namespace millrace::base
