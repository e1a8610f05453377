#include "apps/topoexec/live_run.h"

#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/topoexec/commands.h"
#include "apps/topoexec/flags.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/graph_file.h"

namespace millrace::topoexec {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

graph::CompiledGraph compiled(std::string_view factor, std::string_view type = "core.linear") {
  const std::string text =
      "schema_version: 1\ngraph: {name: g, kind: internal_test}\nlanes:\n  main: {type: "
      "event_loop}\ncomponents:\n  - {id: a, type: core.counter, config: {count: 1}, execution: "
      "{lane: main}}\n  - {id: b, type: " +
      std::string(type) + ", " + std::string(factor) +
      "trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: main}}\nedges:\n  - "
      "{id: e, kind: immediate, from: a.out, to: b.in}\n";
  graph::CompileResult result =
      graph::compile_text(text, graph::TextFormat::kYaml, graph::builtin_registry());
  EXPECT_TRUE(result.graph) << result.report.to_text("g");
  return *std::move(result.graph);
}

TEST(LiveRunTest, OnlyChangedConfigIsGiven) {
  const graph::CompiledGraph before = compiled("config: {factor: 2}, ");
  EXPECT_THAT(*find_config_changes(before, compiled("config: {factor: 2}, ")), SizeIs(0));
  const auto changes = find_config_changes(before, compiled("config: {factor: 3}, "));
  ASSERT_TRUE(changes);
  ASSERT_THAT(*changes, SizeIs(1));
  EXPECT_EQ((*changes)[0].component, "b");
  EXPECT_EQ((*changes)[0].config.to_json(), R"({"factor":3})");
}

TEST(LiveRunTest, AnotherShapeIsRefused) {
  const graph::CompiledGraph before = compiled("");
  EXPECT_FALSE(find_config_changes(before, compiled("", "core.collect")));
  graph::CompiledGraph renamed = compiled("");
  renamed.edges.front().id = "other";
  EXPECT_FALSE(find_config_changes(before, renamed));
}

TEST(LiveRunTest, AnAddressThatCannotBeUsedIsAUsageError) {
  Flags flags;
  flags.command = Subcommand::kRun;
  flags.file = std::string(MILLRACE_SOURCE_DIR) + "/examples/graphs/greenhouse.yaml";
  flags.steps = 1;
  flags.admin = "0.0.0.0:0";
  const Outcome open = run_command(flags);
  EXPECT_EQ(open.exit_code, 2);
  EXPECT_THAT(open.err, HasSubstr("--admin-anywhere"));
  flags.admin = "unix:/no/such/folder/socket";
  EXPECT_EQ(run_command(flags).exit_code, 2);
  flags.admin = "127.0.0.1:0";
  flags.virtual_time = true;
  EXPECT_THAT(run_command(flags).err, HasSubstr("--admin is for runs in wall time"));
}

}  // namespace
}  // namespace millrace::topoexec
