#include "graph/threads/task_team.h"

#include <atomic>
#include <chrono>
#include <latch>

#include <gtest/gtest.h>

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

TEST(TaskTeam, AsManyRunAtATimeAsThereAreWorkers) {
  std::latch both(2);
  TaskTeam team(2);
  // Each waits for the other: one worker alone would never end.
  for (int i = 0; i < 2; ++i) team.post([&] { both.arrive_and_wait(); });
  both.wait();
}

TEST(TaskTeam, WorkGoesOnAfterASlowOne) {
  std::latch done(3);
  TaskTeam team(1);
  for (int i = 0; i < 3; ++i) team.post([&] { done.count_down(); });
  done.wait();
}

TEST(TaskTeam, StoppingDropsWhatWaitsAndEndsARest) {
  TaskTeam team(1);
  std::latch begun(1);
  std::atomic<int> ended{0};
  team.post([&] {
    begun.count_down();
    team.rest(1h);
    ++ended;
  });
  team.post([&] { ended += 10; });
  begun.wait();
  EXPECT_FALSE(team.is_stopping());
  team.stop();
  EXPECT_TRUE(team.is_stopping());
  EXPECT_EQ(ended, 1);
  team.post([&] { ended += 100; });
  team.stop();
  EXPECT_EQ(ended, 1);
}

}  // namespace
}  // namespace millrace::graph
