#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using TopKPassTest = PlanFixture;

std::string sorted(std::string_view params, std::string_view more = "") {
  return base::format(
      R"({{"id": "v", "op": "viewer", "params": {{"endpoint": "redis_default"}}}},
         {{"id": "s", "op": "sort", "inputs": ["v"], "params": {}{}}},
         {{"id": "t", "op": "take", "inputs": ["s"], "params": {{"count": 7}}}})",
      params,
      more);
}

TEST_F(TopKPassTest, CMP2_SortAndTakeBecomeTopK) {
  const auto plan = compile(artifact(sorted(R"({"key": "likes", "order": "desc"})"), R"("t")"));
  EXPECT_THAT(ids(*plan), ElementsAre("v", "t"));
  EXPECT_THAT(notes(*plan, "top_k"), ElementsAre("s and t are one top_k"));
  const CompiledNode& top_k = node(*plan, "t");
  EXPECT_EQ(top_k.task->op, "top_k");
  EXPECT_THAT(top_k.source_ids, ElementsAre("s", "t"));
  const auto& order = std::get<std::vector<OrderKey>>(top_k.param("order"));
  ASSERT_EQ(order.size(), 1U);
  EXPECT_EQ(order[0].key, "likes");
  EXPECT_TRUE(order[0].descending);
  EXPECT_EQ(std::get<std::int64_t>(top_k.param("count")), 7);
  EXPECT_EQ(std::get<NodeInput>(top_k.inputs.at(0)).node, 0U);
}

TEST_F(TopKPassTest, TakesAnOrderOfSeveralKeys) {
  const auto plan =
      compile(artifact(sorted(R"({"by": [{"key": "likes", "order": "desc"}, "age"]})"), R"("t")"));
  const auto& order = std::get<std::vector<OrderKey>>(node(*plan, "t").param("order"));
  ASSERT_EQ(order.size(), 2U);
  EXPECT_EQ(order[1].key, "age");
  EXPECT_FALSE(order[1].descending);
}

TEST_F(TopKPassTest, CMP3_LeavesOutputsSharedSortsAndSettingsAlone) {
  const std::string plain = sorted(R"({"key": "likes"})");
  EXPECT_THAT(notes(*compile(artifact(plain, R"("s", "t")")), "top_k"), IsEmpty());
  EXPECT_THAT(
      notes(*compile(artifact(
                plain + R"(, {"id": "u", "op": "take", "inputs": ["s"], "params": {"count": 1}})",
                R"("t", "u")")),
            "top_k"),
      IsEmpty());
  EXPECT_THAT(
      notes(*compile(artifact(sorted(R"({"key": "likes"})", R"(, "on_failure": {"use": "input"})"),
                              R"("t")")),
            "top_k"),
      IsEmpty());
}

TEST_F(TopKPassTest, CMP4_CanBeSwitchedOffAndIsOffUnderExplain) {
  const std::string bytes = artifact(sorted(R"({"key": "likes"})"), R"("t")");
  EXPECT_THAT(notes(*compile(bytes, {.use_top_k = false}), "top_k"), IsEmpty());
  EXPECT_THAT(notes(*compile(bytes, {.for_explain = true}), "top_k"), IsEmpty());
}

TEST_F(TopKPassTest, DoesNothingWhenTheCatalogHasNoTopK) {
  std::vector<TaskSpec> tasks;
  for (const TaskSpec* task : catalog_.tasks()) {
    if (task->op != "top_k") tasks.push_back(*task);
  }
  const StubCatalog small(std::move(tasks));
  const auto plan =
      compile_plan(artifact(sorted(R"({"key": "likes"})"), R"("t")"), registry_, small);
  ASSERT_TRUE(plan);
  EXPECT_EQ((*plan)->nodes.size(), 3U);
}

}  // namespace
}  // namespace millrace::plan
