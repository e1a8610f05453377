#include "apps/rankd/project.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/rankd_fixture.h"

namespace millrace::rankd::testing {
namespace {

using ::testing::HasSubstr;

TEST(ProjectTest, OpensRegistryAndTasks) {
  const auto project = open_project(repository_flags());
  EXPECT_TRUE(project->registry().find_endpoint("redis_default"));
  EXPECT_NE(project->tasks().find_task("viewer"), nullptr);
  EXPECT_NE(project->tasks().find_task("take"), nullptr);
}

TEST(ProjectTest, AFolderWithoutRegistryIsNamed) {
  Flags flags = repository_flags();
  flags.registry_dir = "/no/such/folder";
  const auto project = Project::open(flags);
  ASSERT_FALSE(project);
  EXPECT_THAT(project.error().text, HasSubstr("/no/such/folder/keys.toml"));
}

TEST(ProjectTest, APluginThatIsNotThereIsAnError) {
  Flags flags = repository_flags();
  flags.plugins = {"/no/such/plugin.so"};
  const auto project = Project::open(flags);
  ASSERT_FALSE(project);
  EXPECT_THAT(project.error().text, HasSubstr("/no/such/plugin.so"));
}

TEST(ProjectTest, PlansComeInOrderOfPath) {
  const Flags flags = repository_flags();
  const auto files = open_project(flags)->load_plans(flags);
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 9U);
  EXPECT_THAT(files->front().path, HasSubstr("complex_dag"));
  EXPECT_THAT(files->back().path, HasSubstr("viewer_filter"));
  for (const PlanFile& file : *files) EXPECT_TRUE(file.plan) << file.path;
}

TEST(ProjectTest, ART6_WhatATaskRefusesIsAProblemOfThePlanToo) {
  const TempFolder folder;
  Flags flags = repository_flags();
  flags.plan_files = {folder.write("half.plan.json", R"({
    "schema_version": 1, "name": "half", "outputs": ["s"], "output_keys": ["id"],
    "nodes": [{"id": "v", "op": "viewer", "inputs": [], "params": {"endpoint": "redis_default"}},
              {"id": "s", "op": "vm", "inputs": ["v"], "params": {"out_key": "score"}}]})")};
  const auto files = open_project(flags)->load_plans(flags);
  ASSERT_TRUE(files);
  ASSERT_FALSE(files->front().plan);
  EXPECT_THAT(files->front().plan.error().to_text(), HasSubstr("there is no `expr` (at s.params)"));
}

TEST(ProjectTest, CLI2_AFileStandsAloneUnlessAFolderIsGivenToo) {
  const TempFolder folder;
  Flags flags = repository_flags();
  flags.plan_files = {folder.write("broken.plan.json", kBrokenPlan)};
  const auto project = open_project(flags);
  const auto alone = project->load_plans(flags);
  ASSERT_TRUE(alone);
  ASSERT_EQ(alone->size(), 1U);
  EXPECT_FALSE(alone->front().plan);
  flags.plan_dir = flags.root + "/plans";
  EXPECT_EQ(project->load_plans(flags)->size(), 10U);
}

TEST(ProjectTest, WhatCannotBeReadIsNamed) {
  Flags flags = repository_flags();
  const auto project = open_project(flags);
  flags.plan_dir = "/no/such/folder";
  EXPECT_THAT(project->load_plans(flags).error().text, HasSubstr("/no/such/folder"));
  EXPECT_THAT(read_text_file("/no/such/file").error().text, HasSubstr("/no/such/file"));
}

}  // namespace
}  // namespace millrace::rankd::testing
