#include "tasks/task_registry.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/compiler.h"
#include "plan/registry/registry.h"
#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

using base::ErrorCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class Side : std::uint8_t { kLeft, kRight };

struct PickParams {
  std::int64_t count = 3;
  double share = 0.25;
  std::optional<std::string> note;
  Side side = Side::kRight;

  static void describe(ParamsDescription<PickParams>& params) {
    params.required("count", &PickParams::count, "How many", {.minimum = 1, .maximum = 9});
    params.optional("share", &PickParams::share, "Which share");
    params.optional("note", &PickParams::note, "Whatever");
    params.choice(
        "side", &PickParams::side, {{"left", Side::kLeft}, {"right", Side::kRight}}, "Which side");
  }
};

base::Result<rows::RowSet> pick(const rows::RowSet& left,
                                const rows::RowSet& right,
                                const PickParams& params,
                                TaskContext&) {
  return params.side == Side::kLeft ? left : right;
}

base::Result<rows::RowSet> last_of(const rows::RowSet& first, std::span<const rows::RowSet> more) {
  return more.empty() ? first : more.back();
}

plan::TaskSpec named(std::string op) { return {.op = std::move(op), .doc = "A test."}; }

TEST(TaskRegistryTest, TSK1_PortsAndParamsComeFromTheSignature) {
  TaskRegistry registry;
  ASSERT_TRUE(register_task(registry, named("pick"), pick).has_value());
  const plan::TaskSpec* spec = registry.find_task("pick");
  EXPECT_EQ(spec->inputs_min, 2);
  EXPECT_EQ(spec->inputs_max, 2);
  ASSERT_EQ(spec->params.size(), 4);
  EXPECT_EQ(spec->params[0].type, plan::ParamType::kInt);
  EXPECT_TRUE(spec->params[0].required);
  EXPECT_EQ(spec->params[0].maximum, 9.0);
  EXPECT_EQ(std::get<double>(spec->params[1].fallback), 0.25);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(spec->params[2].fallback));
  EXPECT_THAT(spec->params[3].choices, ElementsAre("left", "right"));
  EXPECT_EQ(std::get<std::string>(spec->params[3].fallback), "right");
}

TEST(TaskRegistryTest, TSK1_SpanTakesAnyNumberOfInputs) {
  TaskRig rig;
  ASSERT_TRUE(register_task(rig.registry, named("last_of"), last_of).has_value());
  const plan::TaskSpec* spec = rig.registry.find_task("last_of");
  EXPECT_EQ(spec->inputs_min, 1);
  EXPECT_EQ(spec->inputs_max, kInputsMax);
  const auto rows =
      rig.run({.op = "last_of", .inputs = {rig.ids({1}), rig.ids({2}), rig.ids({3})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(3));
}

TEST(TaskRegistryTest, TSK3_InputsAndParamsReachTheFunction) {
  TaskRig rig;
  ASSERT_TRUE(register_task(rig.registry, named("pick"), pick).has_value());
  const auto side = [&](const char* which) {
    return ids_of(rig.run({.op = "pick",
                           .params = {{"count", num(1)}, {"side", text(which)}},
                           .inputs = {rig.ids({1}), rig.ids({2})}})
                      .value());
  };
  EXPECT_THAT(side("left"), ElementsAre(1));
  EXPECT_THAT(side("right"), ElementsAre(2));
}

TEST(TaskRegistryTest, RefusesAnOpThatIsTaken) {
  TaskRig rig;
  EXPECT_THAT(register_task(rig.registry, named("take"), last_of).error().message(),
              HasSubstr("take"));
  EXPECT_FALSE(register_task(rig.registry, named("transform"), last_of).has_value());
}

TEST(TaskRegistryTest, RefusesAFunctionOfAnotherKind) {
  TaskRegistry registry;
  plan::TaskSpec spec = named("x");
  spec.kind = plan::TaskKind::kAsync;
  EXPECT_EQ(register_task(registry, spec, last_of).error().code(), ErrorCode::kInvalidArgument);
}

TEST(TaskRegistryTest, MergeTakesAllOrNothing) {
  TaskRig rig;
  TaskRegistry other;
  ASSERT_TRUE(register_task(other, named("aaa"), last_of).has_value());
  ASSERT_TRUE(register_task(other, named("take"), last_of).has_value());
  EXPECT_FALSE(rig.registry.merge(std::move(other)).has_value());
  EXPECT_EQ(rig.registry.find_task("aaa"), nullptr);
}

TEST(TaskRegistryTest, PrepareSuggestsANameForAnUnknownTask) {
  const TaskRig rig;
  const plan::TaskSpec spec = named("fliter");
  plan::CompiledNode node;
  node.id = "k";
  node.task = &spec;
  const auto prepared = rig.registry.prepare(node);
  EXPECT_EQ(prepared.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(prepared.error().message(), HasSubstr("filter"));
}

struct WeighParams {
  KeyParam<Float> weight;

  static void describe(ParamsDescription<WeighParams>& params) {
    params.required("weight", &WeighParams::weight, "What counts");
  }
};

base::Result<rows::RowSet> weigh(const rows::RowSet& rows, const WeighParams&) { return rows; }

plan::ProblemReport problems_of(const TaskRegistry& tasks, const std::string& node) {
  const plan::Registry registry({{.name = "name", .type = rows::ColumnType::kString},
                                 {.name = "score", .type = rows::ColumnType::kFloat64}},
                                {},
                                {});
  const auto plan = plan::compile_plan(
      R"({"schema_version": 1, "name": "p", "outputs": ["n"], "nodes": [
          {"id": "a", "op": "fixed_source"},
          {"id": "s", "op": "vm", "inputs": ["a"], "params": {"out_key": "score", "expr": "1.0"}},
          {"id": "v", "op": "vm", "inputs": ["s"], "params": {"out_key": "name", "expr": "'x'"}}, )" +
          node + "]}",
      registry,
      tasks);
  return plan ? plan::ProblemReport() : plan.error();
}

TEST(TaskRegistryTest, E9_NoBodyIsReachedWithAColumnOfAnotherType) {
  TaskRig rig;
  ASSERT_TRUE(register_task(rig.registry, named("weigh"), weigh).has_value());
  const std::string weighed =
      R"({"id": "n", "op": "weigh", "inputs": ["v"], "params": {"weight": )";
  EXPECT_TRUE(problems_of(rig.registry, weighed + R"("score"}})").empty());
  EXPECT_TRUE(
      problems_of(rig.registry, weighed + R"("name"}})").has(plan::ProblemCode::kWrongKeyType));
  EXPECT_TRUE(
      problems_of(rig.registry, weighed + R"("id"}})").has(plan::ProblemCode::kWrongKeyType));
  for (const char* params :
       {R"({"score": "name", "by": ["id"]})", R"({"score": "score", "features": ["name"]})"}) {
    EXPECT_TRUE(
        problems_of(rig.registry,
                    std::string(R"({"id": "n", "op": "diversify", "inputs": ["v"], "params": )") +
                        params + "}")
            .has(plan::ProblemCode::kWrongKeyType))
        << params;
  }
}

TEST(TaskRegistryTest, E11_ParamsThatExcludeOrNeedEachOtherAreReportedAtTheNode) {
  const TaskRig rig;
  const struct {
    std::string params;
    std::string op;
    std::string path;
  } cases[] = {
      {"{}", "sort", "nodes[3]"},
      {R"({"by": ["score"], "order": "desc"})", "sort", "nodes[3].params.order"},
      {R"({"keep": "max"})", "dedupe", "nodes[3]"},
      {R"({"pattern": "ab"})", "interleave", "nodes[3].params.pattern"},
      {R"({"tags": ["a", "b"]})", "concat", "nodes[3].params.tags"},
      {R"({"score": "score"})", "diversify", "nodes[3]"},
  };
  for (const auto& [params, op, path] : cases) {
    const plan::ProblemReport report = problems_of(
        rig.registry,
        R"({"id": "n", "op": ")" + op + R"(", "inputs": ["v"], "params": )" + params + "}");
    ASSERT_EQ(report.problems().size(), 1U) << op << report.to_text();
    EXPECT_EQ(report.problems()[0].code, plan::ProblemCode::kBadValue) << op;
    EXPECT_EQ(report.problems()[0].path, path) << op;
    EXPECT_EQ(report.problems()[0].subject, "node 'n' (" + op + ")");
  }
}

}  // namespace
}  // namespace millrace::tasks::testing
