#include "server/generations/canary_guard.h"

#include <memory>

#include <gtest/gtest.h>

#include "rank/rank_fixture.h"

namespace millrace::server {
namespace {

using rank::RankOutcome;

struct GuardRig {
  GuardRig() {
    for (auto* plan : {&active, &canary}) {
      const auto compiled =
          plan::compile_plan(rank::testing::plan_text(rank::testing::source_node(1), R"(["src"])"),
                             rig.registry,
                             rig.tasks);
      *plan = rank::LoadedPlan::load(*compiled, rig.registry, rig.tasks).value();
    }
    guard = std::make_unique<CanaryGuard>(*active, *canary, 2, [this] { ++told; });
  }
  void note(const rank::LoadedPlan& plan, RankOutcome outcome, int count) {
    for (int answer = 0; answer < count; ++answer)
      guard->note(static_cast<std::size_t>(answer % 2), &plan, outcome);
  }
  rank::testing::RankRig rig;
  std::unique_ptr<rank::LoadedPlan> active;
  std::unique_ptr<rank::LoadedPlan> canary;
  std::unique_ptr<CanaryGuard> guard;
  int told = 0;
};

TEST(CanaryGuardTest, S29_ErrorsFivePointsAboveTheActiveOnesEndItAfter200Answers) {
  GuardRig rig;
  rig.note(*rig.active, RankOutcome::kOk, 90);
  rig.note(*rig.active, RankOutcome::kError, 10);
  rig.note(*rig.canary, RankOutcome::kDeadline, 32);
  rig.note(*rig.canary, RankOutcome::kOk, 167);
  EXPECT_EQ(rig.told, 0);
  rig.note(*rig.canary, RankOutcome::kOk, 1);
  EXPECT_EQ(rig.told, 1);
  rig.note(*rig.canary, RankOutcome::kError, 9);
  EXPECT_EQ(rig.told, 1);
}

TEST(CanaryGuardTest, S29_ItMayBeAsBadAsTheActiveOne) {
  GuardRig rig;
  rig.note(*rig.active, RankOutcome::kOk, 90);
  rig.note(*rig.active, RankOutcome::kError, 10);
  rig.note(*rig.canary, RankOutcome::kOk, 170);
  rig.note(*rig.canary, RankOutcome::kError, 30);
  EXPECT_EQ(rig.told, 0);
}

TEST(CanaryGuardTest, WhatCallersGetWrongSaysNothing) {
  GuardRig rig;
  rig.note(*rig.canary, RankOutcome::kInvalid, 300);
  rig.note(*rig.canary, RankOutcome::kRefused, 300);
  rig.note(*rig.canary, RankOutcome::kCancelled, 300);
  rig.guard->note(0, nullptr, RankOutcome::kError);
  EXPECT_EQ(rig.told, 0);
  EXPECT_FALSE(rig.guard->is_too_bad());
}

}  // namespace
}  // namespace millrace::server
