#include "host/project.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/host_fixture.h"

namespace millrace::host::testing {
namespace {

using ::testing::HasSubstr;

TEST(ProjectTest, OpensRegistryAndTasks) {
  const auto project = open_project(repository_settings());
  EXPECT_TRUE(project->registry().find_endpoint("redis_default"));
  EXPECT_NE(project->tasks().find_task("viewer"), nullptr);
  EXPECT_NE(project->tasks().find_task("take"), nullptr);
}

TEST(ProjectTest, AFolderWithoutRegistryIsNamed) {
  Settings settings = repository_settings();
  settings.registry_dir = "/no/such/folder";
  const auto project = Project::open(settings, all_extensions());
  ASSERT_FALSE(project);
  EXPECT_THAT(project.error().text, HasSubstr("/no/such/folder/keys.toml"));
}

TEST(ProjectTest, AFolderThatIsNoProjectSaysHowToNameOrMakeOne) {
  Settings settings = repository_settings();
  settings.root = "/no/such/root";
  const auto project = Project::open(settings, all_extensions());
  ASSERT_FALSE(project);
  EXPECT_EQ(project.error().text,
            "There is no project in '/no/such/root': registry/keys.toml is missing; --root names "
            "the folder of a project, `dslc init` makes one");
}

TEST(ProjectTest, APluginThatIsNotThereIsAnError) {
  Settings settings = repository_settings();
  settings.plugins = {"/no/such/plugin.so"};
  const auto project = Project::open(settings, all_extensions());
  ASSERT_FALSE(project);
  EXPECT_THAT(project.error().text, HasSubstr("/no/such/plugin.so"));
}

TEST(ProjectTest, PlansComeInOrderOfPath) {
  const Settings settings = repository_settings();
  const auto files = open_project(settings)->load_plans(settings);
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 9U);
  EXPECT_THAT(files->front().path, HasSubstr("complex_dag"));
  EXPECT_THAT(files->back().path, HasSubstr("viewer_filter"));
  for (const PlanFile& file : *files) EXPECT_TRUE(file.plan) << file.path;
}

TEST(ProjectTest, ART6_WhatATaskRefusesIsAProblemOfThePlanToo) {
  const TempFolder folder;
  Settings settings = repository_settings();
  settings.plan_files = {folder.write("half.plan.json", R"({
    "schema_version": 1, "name": "half", "outputs": ["s"], "output_keys": ["id"],
    "nodes": [{"id": "v", "op": "viewer", "inputs": [], "params": {"endpoint": "redis_default"}},
              {"id": "s", "op": "vm", "inputs": ["v"], "params": {"out_key": "score"}}]})")};
  const auto files = open_project(settings)->load_plans(settings);
  ASSERT_TRUE(files);
  ASSERT_FALSE(files->front().plan);
  EXPECT_THAT(files->front().plan.error().to_text(),
              HasSubstr("`out_key` is given without `expr`: there is nothing to write (node 's' "
                        "(vm), at nodes[1])"));
}

TEST(ProjectTest, CLI2_AFileStandsAloneUnlessAFolderIsGivenToo) {
  const TempFolder folder;
  Settings settings = repository_settings();
  settings.plan_files = {folder.write("broken.plan.json", kBrokenPlan)};
  const auto project = open_project(settings);
  const auto alone = project->load_plans(settings);
  ASSERT_TRUE(alone);
  ASSERT_EQ(alone->size(), 1U);
  EXPECT_FALSE(alone->front().plan);
  settings.plan_dir = settings.root + "/plans";
  EXPECT_EQ(project->load_plans(settings)->size(), 10U);
}

TEST(ProjectTest, AFileThatIsNamedTwiceIsOnePlan) {
  Settings settings = repository_settings();
  const std::string folder = std::string(MILLRACE_SOURCE_DIR) + "/plans";
  settings.plan_files = {folder + "/diamond.plan.json", folder + "/../plans/diamond.plan.json"};
  const auto files = open_project(settings)->load_plans(settings);
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 1U);
  EXPECT_TRUE((*files)[0].plan);
}

TEST(ProjectTest, TheSourceOfAPlanIsNotTakenForAPlan) {
  Settings settings = repository_settings();
  settings.plan_files = {std::string(MILLRACE_SOURCE_DIR) + "/plans/diamond.plan.ts"};
  EXPECT_THAT(open_project(settings)->load_plans(settings).error().text,
              HasSubstr("diamond.plan.ts' is the source of a plan; `dslc build` makes"));
}

TEST(ProjectTest, CLI5_AFileThatCannotBeReadIsAProblemOfThatFileOnly) {
  const TempFolder folder;
  Settings settings = repository_settings();
  settings.plan_files = {folder.path(), settings.root + "/plans/simple_plan.plan.json"};
  const auto files = open_project(settings)->load_plans(settings);
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 2U);
  ASSERT_FALSE(files->front().plan);
  EXPECT_EQ(files->front().plan.error().to_text(),
            "unreadable_file: Cannot read '" + folder.path() + "': Is a directory\n");
  EXPECT_TRUE(files->back().plan);
}

TEST(ProjectTest, WhatCannotBeReadIsNamed) {
  Settings settings = repository_settings();
  const auto project = open_project(settings);
  settings.plan_dir = "/no/such/folder";
  EXPECT_THAT(project->load_plans(settings).error().text, HasSubstr("/no/such/folder"));
  EXPECT_THAT(read_text_file("/no/such/file").error().text, HasSubstr("/no/such/file"));
}

}  // namespace
}  // namespace millrace::host::testing
