#include "tasks/plugin.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tasks/manifest.h"
#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

base::Result<rows::RowSet> same(const rows::RowSet& rows) { return rows; }

base::Status two_tasks(TaskRegistry& registry) {
  MR_TRY_STATUS(register_task(registry, {.op = "aaa", .doc = "A test."}, same));
  return register_task(registry, {.op = "take", .doc = "A test."}, same);
}

base::Status bad_spec(TaskRegistry& registry) {
  MR_TRY_STATUS(register_task(registry, {.op = "aaa", .doc = "A test."}, same));
  return register_task(registry, {.op = "no_doc"}, same);
}

base::Status nothing(TaskRegistry&) { return {}; }

base::Status throwing(TaskRegistry&) {
  static_cast<void>(std::vector<int>().at(1));
  return {};
}

TaskPlugin plugin_of(base::Status (*function)(TaskRegistry&)) {
  return {.abi_version = kPluginAbiVersion,
          .struct_bytes = sizeof(TaskPlugin),
          .layout = plugin_layout(),
          .name = "test",
          .register_tasks = function};
}

TEST(PluginTest, TaskOfTheGuideLoadsAndRuns) {
  TaskRig rig;
  const base::Status loaded = load_plugin(MILLRACE_BOOST_PLUGIN, rig.registry);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().to_string();
  const auto rows = rig.run({.op = "boost",
                             .params = {{"out_key", text("score")}, {"factor", 1.5}},
                             .inputs = {rig.ids({2, 4})}});
  EXPECT_THAT(to_table(rows.value()).column("score"), ElementsAre(3.0, 6.0));
  EXPECT_THAT(make_manifest(rig.registry), HasSubstr(R"("op":"boost")"));
}

TEST(PluginTest, SecondLoadIsRefusedAndNamesTheFile) {
  TaskRig rig;
  ASSERT_TRUE(load_plugin(MILLRACE_BOOST_PLUGIN, rig.registry).has_value());
  const base::Status again = load_plugin(MILLRACE_BOOST_PLUGIN, rig.registry);
  EXPECT_EQ(again.error().where(), MILLRACE_BOOST_PLUGIN);
  EXPECT_THAT(again.error().message(), HasSubstr("boost"));
}

TEST(PluginTest, MissingFileIsAnError) {
  TaskRig rig;
  EXPECT_EQ(load_plugin("no_such_plugin.so", rig.registry).error().where(), "no_such_plugin.so");
}

TEST(PluginTest, RegistersAllOrNothing) {
  TaskRig rig;
  EXPECT_EQ(register_plugin(plugin_of(two_tasks), "p.so", rig.registry).error().where(), "p.so");
  EXPECT_FALSE(register_plugin(plugin_of(bad_spec), "p.so", rig.registry).has_value());
  EXPECT_FALSE(register_plugin(plugin_of(nothing), "p.so", rig.registry).has_value());
  EXPECT_EQ(rig.registry.find_task("aaa"), nullptr);
}

TEST(PluginTest, OtherVersionsAreRefusedBeforeAnythingIsCalled) {
  TaskRig rig;
  const auto never = [](TaskRegistry&) -> base::Status {
    ADD_FAILURE() << "must not be called: the version differs";
    return {};
  };
  TaskPlugin other = plugin_of(never);
  other.abi_version += 1;
  EXPECT_THAT(register_plugin(other, "p.so", rig.registry).error().message(), HasSubstr("version"));
  other = plugin_of(never);
  other.layout += 1;
  EXPECT_THAT(register_plugin(other, "p.so", rig.registry).error().message(), HasSubstr("headers"));
}

TEST(PluginTest, OneThatThrowsIsNamed) {
  TaskRig rig;
  const base::Status status = register_plugin(plugin_of(throwing), "p.so", rig.registry);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().where(), "p.so");
  EXPECT_THAT(status.error().message(), HasSubstr("It threw an exception"));
}

}  // namespace
}  // namespace millrace::tasks::testing
