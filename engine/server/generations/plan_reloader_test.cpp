#include "server/generations/plan_reloader.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/generations/reload_fixture.h"

namespace millrace::server::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(PlanReloaderTest, S24_PlansThatDidNotChangeStayWhatTheyAre) {
  ReloadRig rig;
  ASSERT_TRUE(rig.start());
  const auto old = rig.published.generation;
  rig.put("a", rows_plan("a", 2));
  const ReloadReport report = rig.reloader->reload();
  EXPECT_THAT(report.changed, ElementsAre("a"));
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(rig.rows("a"), 2);
  EXPECT_NE(rig.published.generation, old);
  EXPECT_EQ(rig.published.generation->plans().find("b"), old->plans().find("b"));
  EXPECT_EQ(rig.published.generation->clients(), old->clients());
  EXPECT_EQ(old->plans().find("a")->plan().nodes.size(), 1U);
}

TEST(PlanReloaderTest, S26_ABadArtifactChangesNothingAndOthersComeAllTheSame) {
  ReloadRig rig;
  ASSERT_TRUE(rig.start());
  const std::string good = rows_plan("a", 2);
  for (const std::string& bad :
       {good.substr(0, good.size() / 2), std::string(), std::string(host::testing::kBrokenPlan)}) {
    rig.put("a", bad);
    const ReloadReport report = rig.reloader->reload();
    ASSERT_EQ(report.problems.size(), 1U) << bad;
    EXPECT_THAT(report.problems[0], HasSubstr("a.plan.json"));
    EXPECT_EQ(rig.rows("a"), 1);
    EXPECT_TRUE(rig.reloader->stale().contains("a"));
  }
  rig.put("b", rows_plan("b", 5));
  EXPECT_THAT(rig.reloader->reload().changed, ElementsAre("b"));
  EXPECT_EQ(rig.rows("b"), 5);
  rig.put("a", good);
  EXPECT_THAT(rig.reloader->reload().problems, IsEmpty());
  EXPECT_EQ(rig.rows("a"), 2);
  EXPECT_THAT(rig.reloader->stale(), IsEmpty());
}

TEST(PlanReloaderTest, S26_ANameUsedTwiceChangesNothing) {
  ReloadRig rig;
  ASSERT_TRUE(rig.start());
  rig.put("c", rows_plan("a", 7));
  const ReloadReport report = rig.reloader->reload();
  ASSERT_EQ(report.problems.size(), 1U);
  EXPECT_THAT(report.problems[0], HasSubstr("Several files have a plan of the name 'a'"));
  EXPECT_EQ(rig.rows("a"), 1);
  // The other file alone is as good as the first.
  rig.remove("a");
  EXPECT_THAT(rig.reloader->reload().problems, IsEmpty());
  EXPECT_EQ(rig.rows("a"), 7);
}

TEST(PlanReloaderTest, S26_AnEmptyFolderChangesNothingAndARemovedFileUnloadsItsPlan) {
  ReloadRig rig;
  ASSERT_TRUE(rig.start());
  rig.remove("b");
  EXPECT_THAT(rig.reloader->reload().removed, ElementsAre("b"));
  EXPECT_EQ(rig.published.generation->plans().find("b"), nullptr);
  rig.remove("a");
  EXPECT_THAT(rig.reloader->reload().problems[0], HasSubstr("has no plans"));
  EXPECT_EQ(rig.rows("a"), 1);
  std::filesystem::remove_all(rig.folder.path() + "/plans");
  EXPECT_EQ(rig.reloader->reload().problems.size(), 1U);
  EXPECT_EQ(rig.rows("a"), 1);
}

TEST(PlanReloaderTest, S27_APlanThatNeverAnswersIsRefusedAndTriedAgain) {
  ReloadRig rig;
  ASSERT_TRUE(rig.start());
  rig.folder.write("plans/a.warmup.jsonl", R"({"user_id":1,"output_keys":["nope"]})");
  rig.put("a", rows_plan("a", 2));
  const ReloadReport report = rig.reloader->reload();
  ASSERT_EQ(report.problems.size(), 1U);
  EXPECT_THAT(report.problems[0], HasSubstr("no request of its warm-up was answered"));
  EXPECT_EQ(rig.rows("a"), 1);
  EXPECT_TRUE(rig.reloader->wants_retry());
  std::filesystem::remove(rig.folder.path() + "/plans/a.warmup.jsonl");
  EXPECT_THAT(rig.reloader->reload().changed, ElementsAre("a"));
  EXPECT_FALSE(rig.reloader->wants_retry());
}

TEST(PlanReloaderTest, S27_TheRequestsOfTheOldVersionWarmTheNewOneUp) {
  ReloadRig rig;
  rig.parts.recall = [](std::string_view plan) {
    return std::vector<std::string>{plan == "a" ? "nonsense" : R"({"user_id":7})"};
  };
  ASSERT_TRUE(rig.start());
  rig.put("a", rows_plan("a", 2));
  rig.put("b", rows_plan("b", 2));
  EXPECT_THAT(rig.reloader->reload().changed, ElementsAre("b"));
  rig.parts.warmup_required = false;
  ASSERT_TRUE(rig.start());
  rig.put("a", rows_plan("a", 3));
  EXPECT_THAT(rig.reloader->reload().changed, ElementsAre("a"));
}

TEST(PlanReloaderTest, S30_AChangedRegistryMakesAllPlansAnewOrNone) {
  ReloadRig rig;
  const std::string path = rig.folder.path() + "/registry/params.toml";
  const std::string params = host::read_text_file(path).value();
  rig.folder.write("registry/params.toml",
                   params + "\n[params.fresh]\ntype = \"int\"\nnullable = false\ndefault = 2\n");
  rig.put("b",
          R"({"schema_version":1,"name":"b","nodes":[{"id":"src","op":"fixed_source","inputs":[],)"
          R"("params":{"row_count":3}},{"id":"f","op":"filter","inputs":["src"],)"
          R"("params":{"pred":"id > $fresh"}}],"outputs":["f"],"output_keys":["id"]})");
  ASSERT_TRUE(rig.start());
  const auto old = rig.published.generation;
  EXPECT_EQ(rig.rows("b"), 1);
  // A plan needs what is gone: none is exchanged.
  rig.folder.write("registry/params.toml", params);
  const ReloadReport refused = rig.reloader->reload();
  ASSERT_FALSE(refused.problems.empty());
  EXPECT_THAT(refused.problems[0], HasSubstr("registry: plan 'b'"));
  EXPECT_EQ(rig.published.generation->plans().find("a"), old->plans().find("a"));
  EXPECT_EQ(rig.rows("b"), 1);
  rig.folder.write("registry/params.toml", "nonsense");
  EXPECT_FALSE(rig.reloader->reload().problems.empty());
  EXPECT_EQ(rig.rows("b"), 1);
  // Another default shows in answers.
  rig.folder.write("registry/params.toml",
                   params + "\n[params.fresh]\ntype = \"int\"\nnullable = false\ndefault = 1\n");
  EXPECT_THAT(rig.reloader->reload().problems, IsEmpty());
  EXPECT_EQ(rig.rows("b"), 2);
  EXPECT_NE(rig.published.generation->plans().find("a"), old->plans().find("a"));
  // No endpoint has changed.
  EXPECT_EQ(rig.published.generation->clients()->clients(0)[0], old->clients()->clients(0)[0]);
}

TEST(PlanReloaderTest, S25_SeesFilesThatNobodyReports) {
  ReloadRig rig;
  ASSERT_TRUE(rig.start());
  EXPECT_FALSE(rig.reloader->has_changed_file());
  rig.put("a", rows_plan("a", 22));
  EXPECT_TRUE(rig.reloader->has_changed_file());
  (void)rig.reloader->reload();
  EXPECT_FALSE(rig.reloader->has_changed_file());
  EXPECT_THAT(rig.reloader->folders(), ::testing::Contains(rig.folder.path() + "/plans"));
  EXPECT_THAT(rig.reloader->folders(), ::testing::Contains(rig.folder.path() + "/registry"));
}

}  // namespace
}  // namespace millrace::server::testing
