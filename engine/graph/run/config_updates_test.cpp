#include "graph/run/config_updates.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.h"
#include "graph/body/component.h"
#include "graph/payload.h"
#include "graph/run/run_fixture.h"
#include "graph/run/runtime.h"

namespace millrace::graph {
namespace {

/// Accepts every configuration and fails to apply `bad`.
class Fickle final : public Component {
 public:
  explicit Fickle(std::string& log) : log_(log) {}
  base::Status execute(const Invocation&, GraphContext&) override { return {}; }
  base::Status check_update(const Payload&) const override { return {}; }
  base::Status apply_update(const Payload& config) override {
    log_ += config.to_json() + " ";
    if (config.find_text() == "bad") return base::fail(base::ErrorCode::kNodeFailed, "cannot");
    return {};
  }

 private:
  std::string& log_;
};

TEST(ConfigUpdates, G50_AreCheckedAllBeforeAnyIsApplied) {
  const TestTypes types;
  const CompiledGraph graph = types.compile(RunText{
      .components =
          {"id: i, type: core.input, execution: {lane: main}",
           "id: l, type: core.linear, config: {factor: 2}, trigger_policy: {type: any_input}, "
           "execution: {lane: main}",
           "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: main}"},
      .edges = {"id: a, kind: immediate, from: i.out, to: l.in",
                "id: b, kind: immediate, from: l.out, to: o.in"}}
                                                .text());
  Runtime runtime(graph, types.registry(), {.virtual_time = true});
  ASSERT_TRUE(runtime.start());
  const auto value = [&] {
    EXPECT_TRUE(runtime.inject("i", Payload(std::int64_t{5})));
    runtime.run();
    return runtime.poll_output("o").value().value.to_json();
  };
  EXPECT_EQ(value(), "10");
  const std::vector<ConfigUpdate> good = {
      {.component = "l", .config = *Payload::parse("{\"factor\":3}")}};
  EXPECT_TRUE(runtime.update_config(good));
  EXPECT_EQ(value(), "15");
  const std::vector<ConfigUpdate> mixed = {
      {.component = "l", .config = *Payload::parse("{\"factor\":4}")},
      {.component = "o", .config = Payload()}};
  EXPECT_FALSE(runtime.update_config(mixed));
  EXPECT_EQ(value(), "15");
  EXPECT_FALSE(
      runtime.update_config(std::vector<ConfigUpdate>{{.component = "none", .config = Payload()}}));
  EXPECT_EQ(runtime.result().metric("runtime.config.version"), 1);
  EXPECT_EQ(runtime.result().metric("runtime.config.committed_update_count"), 1);
}

TEST(ConfigUpdates, G50_AFailureRollsBackInReverse) {
  std::string log;
  TestTypes types;
  types.add("t.Fickle", [&log] { return std::make_unique<Fickle>(log); });
  RunText parts;
  for (const char* id : {"a", "b", "c"}) {
    parts.components.push_back(
        base::format("id: {}, type: t.Fickle, execution: {{lane: main}}", id));
  }
  const CompiledGraph graph = types.compile(parts.text());
  Runtime runtime(graph, types.registry(), {.virtual_time = true});
  ASSERT_TRUE(runtime.start());
  const std::vector<ConfigUpdate> updates = {
      {.component = "a", .config = Payload(std::int64_t{1})},
      {.component = "b", .config = Payload(std::int64_t{2})},
      {.component = "c", .config = Payload(std::string("bad"))}};
  const auto status = runtime.update_config(updates);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().where(), "c");
  EXPECT_EQ(log, "1 2 \"bad\" null null ");
  EXPECT_EQ(runtime.result().metric("runtime.config.rolled_back_update_count"), 1);
}

}  // namespace
}  // namespace millrace::graph
