#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/plan_version.h"
#include "server/generations/reload_fixture.h"

namespace millrace::server::testing {
namespace {

using ::testing::HasSubstr;

TEST(PlanDecisionsTest, S28_DecisionsArePublishedAndKeptOverRestarts) {
  ReloadRig rig;
  rig.parts.state_file = rig.folder.path() + "/state.json";
  ASSERT_TRUE(rig.start());
  rig.put("a", rows_plan("a", 2, "v2"));
  (void)rig.reloader->reload();
  EXPECT_EQ(rig.rows("a"), 2);
  ASSERT_TRUE(rig.reloader->rollback("a"));
  EXPECT_EQ(rig.rows("a"), 1);
  ASSERT_TRUE(rig.start());
  EXPECT_EQ(rig.rows("a"), 1);
  (void)rig.reloader->reload();
  EXPECT_EQ(rig.rows("a"), 1);
  ASSERT_TRUE(rig.reloader->pin("a", "v2"));
  EXPECT_EQ(rig.rows("a"), 2);
  rig.put("a", rows_plan("a", 3, "v3"));
  (void)rig.reloader->reload();
  ASSERT_TRUE(rig.start());
  EXPECT_EQ(rig.rows("a"), 2);
  ASSERT_TRUE(rig.reloader->unpin("a"));
  EXPECT_EQ(rig.rows("a"), 3);
}

TEST(PlanDecisionsTest, S28_ADecisionThatCannotBeKeptIsNotMade) {
  ReloadRig rig;
  rig.parts.state_file = rig.folder.path() + "/missing/state.json";
  ASSERT_TRUE(rig.start());
  rig.put("a", rows_plan("a", 2));
  (void)rig.reloader->reload();
  const auto refused = rig.reloader->rollback("a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "internal");
  EXPECT_THAT(refused.error().detail, HasSubstr("Nothing was changed"));
  EXPECT_EQ(rig.rows("a"), 2);
}

TEST(PlanDecisionsTest, S28_AStateThatCannotBeUsedKeepsTheServerFromStarting) {
  ReloadRig rig;
  rig.parts.state_file = rig.folder.write("state.json", "{");
  const auto started = rig.start();
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().text, HasSubstr("mend or delete it"));
}

TEST(PlanDecisionsTest, S29_ACanaryThatFailsEndsByItself) {
  ReloadRig rig;
  std::string ended;
  rig.parts.on_bad_canary = [&](const std::string& plan, const std::string& digest) {
    ended = plan + " " + digest;
  };
  ASSERT_TRUE(rig.start());
  ASSERT_TRUE(rig.reloader->pin(
      "a", rank::version_of(rig.published.generation->plans().find("a")->plan())));
  rig.put("a", rows_plan("a", 2, "v2"));
  (void)rig.reloader->reload();
  ASSERT_TRUE(rig.reloader->set_canary("a", "v2", 50));
  ASSERT_EQ(rig.published.canaries.size(), 1U);
  const auto guard = rig.published.canaries[0];
  // Another reload does not make it forget.
  rig.put("b", rows_plan("b", 2));
  (void)rig.reloader->reload();
  EXPECT_EQ(rig.published.canaries[0], guard);
  int users = 0;
  for (int user = 0; user < 20; ++user) users += rig.rows("a", user) == 2 ? 1 : 0;
  EXPECT_GT(users, 3);
  EXPECT_LT(users, 17);
  const rank::LoadedPlan* const canary = rig.published.generation->plans().find_version("a", "v2");
  for (int answer = 0; answer < 200; ++answer) guard->note(0, canary, rank::RankOutcome::kError);
  ASSERT_EQ(ended, "a " + canary->plan().digest);
  rig.reloader->end_canary("a", "sha256:another");
  EXPECT_EQ(rig.published.canaries.size(), 1U);
  rig.reloader->end_canary("a", canary->plan().digest);
  EXPECT_TRUE(rig.published.canaries.empty());
  for (int user = 0; user < 20; ++user) EXPECT_EQ(rig.rows("a", user), 1);
  EXPECT_THAT(rig.log_text(), HasSubstr("\"event\":\"canary_ended\""));
}

TEST(PlanDecisionsTest, AnUploadGoesToTheFileOfItsPlanOnly) {
  ReloadRig rig;
  rig.parts.allow_upload = true;
  rig.put("other_name", rows_plan("c", 1));
  ASSERT_TRUE(rig.start());
  EXPECT_EQ(rig.reloader->upload("a", rows_plan("b", 1), false).error().code, "bad_value");
  EXPECT_EQ(rig.reloader->upload("a", "{", false).error().code, "invalid_plan");
  ASSERT_TRUE(rig.reloader->upload("c", rows_plan("c", 4), false));
  EXPECT_EQ(rig.rows("c"), 4);
  ASSERT_TRUE(rig.reloader->upload("..", rows_plan("..", 2), true));
  ASSERT_TRUE(rig.reloader->upload("new", rows_plan("new", 2), false));
  EXPECT_EQ(rig.rows("new"), 2);
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(rig.folder.path() + "/plans"))
    names.insert(entry.path().filename().string());
  EXPECT_EQ(names,
            (std::set<std::string>{
                "a.plan.json", "b.plan.json", "new.plan.json", "other_name.plan.json"}));
}

TEST(PlanDecisionsTest, UnknownPlansGetASuggestion) {
  ReloadRig rig;
  ASSERT_TRUE(rig.start());
  const auto unknown = rig.reloader->unpin("aa");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, "unknown_plan");
}

}  // namespace
}  // namespace millrace::server::testing
