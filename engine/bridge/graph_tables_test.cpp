#include "bridge/graph_tables.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bridge/bridge_fixture.h"
#include "graph/compile/component_registry.h"
#include "graph/run/runtime.h"

namespace millrace::bridge {
namespace {

using ::testing::ElementsAre;

const std::string kGraph = graph_text(
    {"id: n, type: core.counter, config: {count: 2}",
     "id: c, type: core.collect, trigger_policy: {type: any_input, inputs: [in]}",
     "id: b, type: core.table, config: {table: beta, key: k}, trigger_policy: {type: any_input, "
     "inputs: [in]}",
     "id: a, type: core.table, config: {table: alpha, key: k}, trigger_policy: {type: any_input, "
     "inputs: [in]}",
     "id: a2, type: core.table, config: {table: alpha, key: l}, trigger_policy: {type: any_input, "
     "inputs: [in]}"},
    {"id: e1, kind: immediate, from: n.out, to: c.in",
     "id: e2, kind: immediate, from: c.out, to: a.in",
     "id: e3, kind: immediate, from: c.out, to: b.in"});

std::string text_of(const GraphTables& tables) {
  std::string json;
  tables.pin()->append_json(json);
  return json;
}

TEST(GraphTablesTest, G70_RequestsKeepWhatTheyPinnedWhileTheGraphGoesOn) {
  const graph::ComponentRegistry types = graph::builtin_registry();
  std::string text = kGraph;
  text.insert(text.size(),
              "  - {id: e4, kind: immediate, from: c.out, to: a2.in, policy: {mode: queue, "
              "capacity: 64}}\n");
  const auto compiled = graph::compile_text(text, graph::TextFormat::kYaml, types);
  ASSERT_TRUE(compiled.graph) << compiled.report.to_text("graph");
  EXPECT_THAT(written_tables(*compiled.graph, types), ElementsAre("alpha", "beta"));
  GraphTables tables("t", written_tables(*compiled.graph, types));
  EXPECT_EQ(text_of(tables), R"({"graph":"t","tables":{"alpha":0,"beta":0}})");
  {
    graph::Runtime runtime(*compiled.graph, types, {.virtual_time = true});
    ASSERT_TRUE(runtime.start());
    tables.attach(runtime);
    ASSERT_TRUE(runtime.step());
    const auto pinned = tables.pin();
    EXPECT_EQ(text_of(tables), R"({"graph":"t","tables":{"alpha":1,"beta":1}})");
    ASSERT_TRUE(runtime.step());
    EXPECT_EQ(text_of(tables), R"({"graph":"t","tables":{"alpha":2,"beta":2}})");
    std::string before;
    pinned->append_json(before);
    EXPECT_EQ(before, R"({"graph":"t","tables":{"alpha":1,"beta":1}})");
    tables.detach();
  }
  EXPECT_EQ(text_of(tables), R"({"graph":"t","tables":{"alpha":2,"beta":2}})") << "the last ones";
}

}  // namespace
}  // namespace millrace::bridge
