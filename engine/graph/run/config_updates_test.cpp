#include "graph/run/config_updates.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/format.h"
#include "base/result.h"
#include "graph/body/component.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/descriptor.h"
#include "graph/payload.h"
#include "graph/run/run_fixture.h"
#include "graph/run/runtime.h"
#include "graph/watch/graph_event.h"

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
    if (config.find_member("value")->find_text() == "bad")
      return base::fail(base::ErrorCode::kNodeFailed, "cannot");
    return {};
  }

 private:
  std::string& log_;
};

const std::vector<ConfigField> kFickleConfig = {
    {.name = "value", .kind = ConfigKind::kText, .about = "any"}};

/// A component between a source of 1, 2, ... and an output.
class UpdatedRun {
 public:
  explicit UpdatedRun(const std::string& tested)
      : graph_(types_.compile(RunText{
            .components =
                {"id: s, type: core.counter, execution: {lane: main}",
                 "id: c, " + tested + ", execution: {lane: main, on_error: continue}",
                 "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: "
                 "main}"},
            .edges = {"id: a, kind: immediate, from: s.out, to: c.in",
                      "id: b, kind: immediate, from: c.out, to: o.in, policy: {mode: queue, "
                      "capacity: 9}"}}
                                  .text())),
        runtime_(graph_, types_.registry(), {.virtual_time = true}) {
    EXPECT_TRUE(runtime_.start());
  }

  base::Status update(const char* component, std::string_view config) {
    return runtime_.update_config(
        std::vector<ConfigUpdate>{{.component = component, .config = *Payload::parse(config)}});
  }
  /// What one epoch gives, each value with its time in milliseconds.
  std::string step() {
    EXPECT_TRUE(runtime_.step("", 1));
    std::string all;
    while (const auto output = runtime_.poll_output("o")) {
      if (!all.empty()) all += " ";
      all += base::format("{}@{}", output->value.to_json(), output->time.count() / 1'000'000);
    }
    return all;
  }

 private:
  const TestTypes types_;
  const CompiledGraph graph_;
  Runtime runtime_;
};

constexpr const char* kEach = ", trigger_policy: {type: any_input}";

TEST(ConfigUpdates, G50_BuiltInTypesTakeNewValues) {
  UpdatedRun counter(std::string("type: core.linear") + kEach);
  EXPECT_EQ(counter.step(), "1@0");
  EXPECT_TRUE(counter.update("s", R"({"step":10})"));
  EXPECT_EQ(counter.step() + " " + counter.step(), "2@0 12@0");

  UpdatedRun spend(std::string("type: core.spend, config: {cost: 5ms}") + kEach);
  EXPECT_EQ(spend.step(), "1@5");
  EXPECT_TRUE(spend.update("c", R"({"cost_ms":20})"));
  EXPECT_EQ(spend.step(), "2@25");

  UpdatedRun fail(std::string("type: core.fail, config: {fail_at: [1]}") + kEach);
  EXPECT_EQ(fail.step(), "");
  EXPECT_TRUE(fail.update("c", R"({"fail_at":[3]})"));
  EXPECT_EQ(fail.step() + "," + fail.step() + "," + fail.step(), "2@0,,4@0");

  UpdatedRun relax(std::string("type: core.relax, config: {target: 8}") + kEach);
  EXPECT_EQ(relax.step(), "4@0");
  EXPECT_TRUE(relax.update("c", R"({"target":0,"gain":1})"));
  EXPECT_EQ(relax.step(), "0@0") << "it goes on from where it was";

  UpdatedRun meter(std::string("type: core.meter") + kEach);
  EXPECT_EQ(meter.step(), "1@0");
  EXPECT_TRUE(meter.update("c", R"({"window":"500ms"})"));
  EXPECT_EQ(meter.step(), "4@0");

  UpdatedRun counts(std::string("type: core.top_counts") + kEach);
  EXPECT_EQ(counts.step(), R"({"1":1}@0)");
  EXPECT_TRUE(counts.update("c", R"({"top":1})"));
  EXPECT_EQ(counts.step(), R"({"1":1}@0)");
}

TEST(ConfigUpdates, G50_AreCheckedLikeThoseOfAFile) {
  UpdatedRun run(std::string("type: core.relax, config: {target: 8}") + kEach);
  const auto refusal = [&run](const char* component, std::string_view config) {
    const base::Status status = run.update(component, config);
    return status ? std::string("taken") : status.error().message();
  };
  EXPECT_EQ(refusal("c", R"({"target":1,"gian":1})"),
            "'core.relax' has no config 'gian'; write 'gain'");
  EXPECT_EQ(refusal("c", R"({"target":"x"})"), "Expected number, found string");
  EXPECT_EQ(refusal("c", "{}"), "'core.relax' needs config 'target': where x goes");
  EXPECT_EQ(refusal("c", "[1]"), "A configuration is an object");
  EXPECT_EQ(refusal("c", R"({"target":1,"start":3})"),
            "'start' of 'core.relax' cannot change while it runs; it is 0");
  EXPECT_EQ(refusal("s", R"({"per_invocation":0})"), "The value must be at least 1");
  EXPECT_EQ(refusal("o", R"({"capacity":5})"),
            "This component takes its configuration only when it starts");
  EXPECT_EQ(refusal("c", R"({"target":1,"start":0})"), "taken");
}

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

TEST(ConfigUpdates, G51_EachTransactionIsTraced) {
  std::string log;
  TestTypes types;
  types.add("t.Fickle", [&log] { return std::make_unique<Fickle>(log); }, kFickleConfig);
  const CompiledGraph graph = types.compile(RunText{
      .components = {"id: a, type: t.Fickle, config: {value: old}, execution: {lane: main}"}}
                                                .text());
  Runtime runtime(graph, types.registry(), {.virtual_time = true, .trace = true});
  ASSERT_TRUE(runtime.start());
  for (const char* value : {"1", "bad", "2"}) {
    const Payload config =
        Payload::object({{.name = "value", .value = Payload(std::string(value))}});
    EXPECT_EQ(runtime.update_config(std::vector<ConfigUpdate>{{.component = "a", .config = config}})
                  .has_value(),
              value != std::string_view("bad"));
  }
  std::vector<std::string> seen;
  for (const GraphEvent& event : runtime.events_from(0)) {
    EXPECT_EQ(to_string(event.name), "config_transaction");
    seen.push_back(base::format("version {}, committed {}", event.first, event.second));
  }
  EXPECT_EQ(seen,
            (std::vector<std::string>{
                "version 1, committed 1", "version 1, committed 0", "version 2, committed 1"}));
}

TEST(ConfigUpdates, G50_AFailureRollsBackInReverse) {
  std::string log;
  TestTypes types;
  types.add("t.Fickle", [&log] { return std::make_unique<Fickle>(log); }, kFickleConfig);
  RunText parts;
  for (const char* id : {"a", "b", "c"}) {
    parts.components.push_back(base::format(
        "id: {}, type: t.Fickle, config: {{value: old}}, execution: {{lane: main}}", id));
  }
  const CompiledGraph graph = types.compile(parts.text());
  Runtime runtime(graph, types.registry(), {.virtual_time = true});
  ASSERT_TRUE(runtime.start());
  const std::vector<ConfigUpdate> updates = {
      {.component = "a", .config = *Payload::parse(R"({"value":"1"})")},
      {.component = "b", .config = *Payload::parse(R"({"value":"2"})")},
      {.component = "c", .config = *Payload::parse(R"({"value":"bad"})")}};
  const auto status = runtime.update_config(updates);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().where(), "c");
  EXPECT_EQ(log, R"({"value":"1"} {"value":"2"} {"value":"bad"} {"value":"old"} {"value":"old"} )");
  EXPECT_EQ(runtime.result().metric("runtime.config.rolled_back_update_count"), 1);
}

}  // namespace
}  // namespace millrace::graph
