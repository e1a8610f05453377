#include "tasks/task_registry.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
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

}  // namespace
}  // namespace millrace::tasks::testing
