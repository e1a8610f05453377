#include "graph/compile/component_plugin.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/run/run_fixture.h"
#include "graph/run/runtime_runner.h"

namespace millrace::graph {
namespace {

using ::testing::HasSubstr;

base::Status two_types(ComponentRegistry& registry) {
  MR_TRY_STATUS(registry.add({.type = "test.new", .about = "A test."}));
  return registry.add({.type = "core.linear", .about = "Exists already."});
}

base::Status no_types(ComponentRegistry&) { return {}; }

base::Status throwing_types(ComponentRegistry&) {
  static_cast<void>(std::vector<int>().at(1));
  return {};
}

ComponentPlugin plugin_of(base::Status (*function)(ComponentRegistry&)) {
  return {.abi_version = kComponentPluginAbiVersion,
          .struct_bytes = sizeof(ComponentPlugin),
          .layout = component_plugin_layout(),
          .name = "test",
          .register_components = function};
}

/// Gives why a plugin is refused; the registry must be as before.
std::string why(const ComponentPlugin& plugin) {
  ComponentRegistry registry = builtin_registry();
  const std::size_t before = registry.types().size();
  const base::Status status = register_component_plugin(plugin, "dir/test.so", registry);
  EXPECT_EQ(registry.types().size(), before);
  if (status) return "good";
  EXPECT_EQ(status.error().where(), "dir/test.so");
  return status.error().message();
}

TEST(ComponentPluginTest, TheComponentOfTheGuideLoadsAndRuns) {
  ComponentRegistry registry = builtin_registry();
  const base::Status loaded = load_component_plugin(MILLRACE_SMOOTH_PLUGIN, registry);
  ASSERT_TRUE(loaded) << loaded.error().to_string();
  const RunText parts{
      .components =
          {"id: s, type: core.values, config: {values: [8, 0, 4]}, execution: {lane: main}",
           "id: f, type: demo.smooth, config: {weight: 0.5}, trigger_policy: {type: "
           "any_input}, execution: {lane: main}",
           "id: o, type: core.output, trigger_policy: {type: any_input}, execution: "
           "{lane: main}"},
      .edges = {"id: sf, kind: immediate, from: s.out, to: f.in",
                "id: fo, kind: immediate, from: f.out, to: o.in"}};
  const CompileResult compiled = compile_text(parts.text(), TextFormat::kYaml, registry);
  ASSERT_TRUE(compiled.graph) << compiled.report.to_text("graph");
  const auto result = RuntimeRunner::run(
      *compiled.graph, registry, {.until_idle = true, .virtual_time = true, .keep_outputs = true});
  EXPECT_EQ(values(result), (Strings{"8", "4", "4"}));
  const base::Status again = load_component_plugin(MILLRACE_SMOOTH_PLUGIN, registry);
  ASSERT_FALSE(again) << "its type exists now";
  EXPECT_THAT(again.error().message(), HasSubstr("exists already (plugin smooth, demo.smooth)"));
}

TEST(ComponentPluginTest, NothingIsRegisteredIfAnythingIsWrong) {
  EXPECT_THAT(why(plugin_of(two_types)), HasSubstr("exists already (plugin test, core.linear)"));
  EXPECT_THAT(why(plugin_of(no_types)), HasSubstr("registers no component type"));
  EXPECT_THAT(why(plugin_of(throwing_types)), HasSubstr("threw an exception"));
  EXPECT_THAT(why(plugin_of(nullptr)), HasSubstr("no function"));
  ComponentPlugin old = plugin_of(two_types);
  old.abi_version = 0;
  EXPECT_THAT(why(old), HasSubstr("version of the interface: 0 instead of 2"));
  ComponentPlugin other = plugin_of(two_types);
  ++other.layout;
  EXPECT_THAT(why(other), HasSubstr("other headers or flags"));
}

TEST(ComponentPluginTest, FilesThatAreNoPluginsAreNamed) {
  ComponentRegistry registry;
  EXPECT_THAT(load_component_plugin("/nowhere.so", registry).error().message(),
              HasSubstr("Cannot load the plugin"));
  EXPECT_THAT(load_component_plugin("libm.so.6", registry).error().where(), "libm.so.6");
}

}  // namespace
}  // namespace millrace::graph
