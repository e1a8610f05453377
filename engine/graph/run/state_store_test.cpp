#include "graph/run/state_store.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "graph/payload.h"
#include "graph/run/run_fixture.h"
#include "graph/run/runtime_runner.h"

namespace millrace::graph {
namespace {

TEST(StateStore, G50_StagedWritesAreInvisibleUntilTheyAreCommitted) {
  StateStore store;
  const auto before = store.snapshot();
  EXPECT_TRUE(store.stage({.component = 1, .table = "t", .key = "k", .value = Payload(true)}));
  EXPECT_FALSE(store.snapshot()->find("t", "k"));
  EXPECT_EQ(store.commit(3), 1U);
  EXPECT_EQ(store.snapshot()->find("t", "k"), Payload(true));
  EXPECT_FALSE(before->find("t", "k")) << "a snapshot never changes";
  EXPECT_EQ(store.view().front().epoch, 3U);
  EXPECT_EQ(store.commit(4), 0U);
}

TEST(StateStore, G70_OtherThreadsGetWhatWasCommittedLast) {
  StateStore store;
  EXPECT_TRUE(store.latest()->tables.empty());
  EXPECT_TRUE(store.stage({.component = 1, .table = "t", .key = "k", .value = Payload(true)}));
  EXPECT_TRUE(store.latest()->tables.empty());
  store.commit(3);
  EXPECT_EQ(store.latest(), store.snapshot());
  EXPECT_EQ(store.latest()->tables.at("t")->epoch, 3U);
}

TEST(StateStore, G50_OneComponentWritesAKey) {
  StateStore store;
  EXPECT_TRUE(store.stage({.component = 1, .table = "t", .key = "k", .value = Payload(true)}));
  EXPECT_FALSE(store.stage({.component = 2, .table = "t", .key = "k", .value = Payload(false)}));
  EXPECT_TRUE(store.stage({.component = 2, .table = "u", .key = "k", .value = Payload(false)}));
  store.commit(1);
  EXPECT_EQ(store.snapshot()->find("t", "k"), Payload(true));
}

TEST(StateStore, G50_ReadersSeeOneSnapshotPerEpoch) {
  std::vector<std::string> seen;
  TestTypes types;
  types.add_body(
      "t.Write", [](const Invocation& invocation, GraphContext& context) -> base::Status {
        context.state().write("t", "k", Payload(static_cast<std::int64_t>(invocation.epoch())));
        context.publish("out", Payload(true));
        return {};
      });
  types.add_body("t.Read", [&seen](const Invocation&, GraphContext& context) -> base::Status {
    const auto value = context.state().read("t", "k");
    seen.push_back(value ? value->to_json() : "none");
    return {};
  });
  const RunText parts{.components = {"id: w, type: t.Write, execution: {lane: main}",
                                     "id: r, type: t.Read, trigger_policy: {type: any_input}, "
                                     "execution: {lane: main}"},
                      .edges = {"id: e, kind: immediate, from: w.out, to: r.in"}};
  const auto result = run_graph(parts, {.steps = 3}, types);
  EXPECT_EQ(seen, (Strings{"none", "1", "2"}));
  ASSERT_EQ(result.state.size(), 1U);
  EXPECT_EQ(result.state.front().epoch, 3U);
  EXPECT_EQ(result.metric("runtime.state.committed_write_count"), 3);
}

TEST(StateStore, G50_AnotherWriterOfAKeyIsRejectedAndCounted) {
  RunText parts;
  for (const char* id : {"a", "b"}) {
    parts.components.push_back(
        base::format("id: {}, type: core.values, config: {{values: [{{key: k, value: \"{}\"}}]}}, "
                     "execution: {{lane: main}}",
                     id,
                     id));
    parts.components.push_back(
        base::format("id: t{0}, type: core.table, config: {{table: x}}, "
                     "trigger_policy: {{type: any_input}}, execution: {{lane: main}}",
                     id));
    parts.edges.push_back(
        base::format("id: e{0}, kind: immediate, from: {0}.out, to: t{0}.in", id));
  }
  const auto result = run_graph(parts);
  EXPECT_EQ(result.metric("runtime.state.rejected_write_count"), 1);
  ASSERT_EQ(result.state.size(), 1U);
  EXPECT_EQ(result.state.front().values.front().value.to_json(), "\"a\"");
}

}  // namespace
}  // namespace millrace::graph
