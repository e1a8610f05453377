#include "base/spare_stacks.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

struct Tool {
  int users = 0;  // plain: whoever takes a tool has it alone
  int uses = 0;
  Tool* next = nullptr;
};

using Tools = SpareStacks<Tool, &Tool::next>;

TEST(SpareStacksTest, GiveWhatWasGivenLast) {
  Tools spares;
  EXPECT_EQ(spares.try_take(), nullptr);
  std::array<Tool, 3> tools;
  for (Tool& tool : tools) spares.give(tool);
  EXPECT_EQ(spares.count(), 3U);
  EXPECT_EQ(spares.try_take(), &tools[2]);
  EXPECT_EQ(spares.try_take(), &tools[1]);
  spares.give(tools[2]);
  EXPECT_EQ(spares.try_take(), &tools[2]);
  EXPECT_EQ(spares.try_take(), &tools[0]);
  EXPECT_EQ(spares.try_take(), nullptr);
}

TEST(SpareStacksTest, ThreadsTakeTheirOwnFirstAndThenThoseOfOthers) {
  Tools spares;
  Tool here;
  Tool there;
  spares.give(here);
  std::array<Tool*, 3> taken{};
  std::jthread([&] {
    spares.give(there);
    for (Tool*& tool : taken) tool = spares.try_take();
  }).join();
  EXPECT_EQ(taken, (std::array<Tool*, 3>{&there, &here, nullptr}));
}

TEST(SpareStacksTest, NobodySharesATool) {
  constexpr int kThreads = 20;  // more than there are stacks
  constexpr int kRounds = 2'000;
  Tools spares;
  std::vector<Tool> tools(kThreads / 2);
  for (Tool& tool : tools) spares.give(tool);
  std::atomic<int> uses{0};
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&] {
        for (int round = 0; round < kRounds; ++round) {
          Tool* const tool = spares.try_take();
          if (tool == nullptr) continue;
          EXPECT_EQ(++tool->users, 1);
          ++tool->uses;
          --tool->users;
          spares.give(*tool);
          uses.fetch_add(1, std::memory_order_relaxed);
        }
      });
    }
  }
  EXPECT_EQ(spares.count(), tools.size());
  int sum = 0;
  for (const Tool& tool : tools) sum += tool.uses;
  EXPECT_EQ(sum, uses.load());
}

}  // namespace
}  // namespace millrace::base
