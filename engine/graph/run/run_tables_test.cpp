#include "graph/run/run_tables.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "graph/body/message.h"
#include "graph/run/run_fixture.h"

namespace millrace::graph {
namespace {

TEST(RunTables, FindsMarkedPlacesAcrossWords) {
  DomainRun run;
  run.ready.assign(3, 0);
  for (const std::uint32_t place : {0U, 63U, 64U, 130U}) run.mark(place);
  EXPECT_EQ(run.next_marked(0), 0U);
  EXPECT_EQ(run.next_marked(1), 63U);
  EXPECT_EQ(run.next_marked(64), 64U);
  EXPECT_EQ(run.next_marked(65), 130U);
  EXPECT_EQ(run.next_marked(131), 192U);
  EXPECT_EQ(run.next_marked(500), 192U);
  run.unmark(130);
  EXPECT_FALSE(run.is_marked(130));
}

TEST(RunTables, SeparatesEdgesInsideALoopAndNamesIds) {
  const TestTypes types;
  const CompiledGraph graph = types.compile(RunText{
      .components =
          {"id: a, type: core.relax, config: {target: 1}, execution: {lane: main}",
           "id: b, type: core.linear, trigger_policy: {type: any_input}, execution: {lane: main}",
           "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: main}"},
      .edges = {"id: ab, kind: immediate, from: a.out, to: b.in",
                "id: ba, kind: immediate, from: b.out, to: a.in",
                "id: ao, kind: immediate, from: a.out, to: o.in"},
      .loops = {"id: l, components: [a, b], loop_policy: {type: fixed_point}"}}
                                                .text());
  const RunTables tables(graph, {});
  ASSERT_EQ(tables.components[0].outputs.size(), 1U);
  EXPECT_EQ(tables.components[0].outputs[0].inner.size(), 1U);
  EXPECT_EQ(tables.components[0].outputs[0].outer.size(), 1U);
  EXPECT_EQ(tables.position[0], tables.position[1]);
  EXPECT_NE(tables.position[0], tables.position[2]);
  EXPECT_EQ(tables.correlation_text({.component = 1, .count = 4}), "b#4");
  EXPECT_EQ(tables.message_text({.edge = 2, .number = 9}), "ao#9");
  EXPECT_EQ(tables.message_text({}), "");
}

}  // namespace
}  // namespace millrace::graph
