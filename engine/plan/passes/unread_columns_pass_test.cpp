#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using UnreadColumnsPassTest = PlanFixture;

std::string chain(std::string_view settings = "") {
  return base::format(
      R"({{"id": "s", "op": "fixed_source"}},
         {{"id": "a", "op": "vm", "inputs": ["s"], "params": {{"out_key": "score", "expr": "1.0 * id"}}}},
         {{"id": "b", "op": "vm", "inputs": ["a"], "params": {{"out_key": "boost", "expr": "score * 2.0"}}{}}},
         {{"id": "t", "op": "take", "inputs": ["b"], "params": {{"count": 1}}}})",
      settings);
}

constexpr std::string_view kOnlyId = R"(, "output_keys": ["id"])";

TEST_F(UnreadColumnsPassTest, CMP2_RemovesNodesWhoseKeyNobodyReads) {
  const auto plan = compile(artifact(chain(), R"("t")", kOnlyId));
  EXPECT_THAT(ids(*plan), ElementsAre("s", "t"));
  EXPECT_THAT(
      notes(*plan, "columns"),
      ElementsAre("removed a: nobody reads what it adds", "removed b: nobody reads what it adds"));
}

TEST_F(UnreadColumnsPassTest, KeepsWhatIsRead) {
  const auto plan = compile(artifact(chain(), R"("t")", R"(, "output_keys": ["boost"])"));
  EXPECT_THAT(ids(*plan), ElementsAre("s", "a", "b", "t"));
  EXPECT_THAT(ids(*compile(artifact(chain(), R"("t")", R"(, "output_keys": ["score"])"))),
              ElementsAre("s", "a", "t"));
}

TEST_F(UnreadColumnsPassTest, CMP3_LeavesNodesWithSettingsOrRowErrorsAlone) {
  EXPECT_THAT(ids(*compile(artifact(chain(R"(, "timeout_ms": 5)"), R"("t")", kOnlyId))),
              ElementsAre("s", "a", "b", "t"));
  EXPECT_THAT(ids(*compile(artifact(chain(R"(, "on_row_error": "drop")"), R"("t")", kOnlyId))),
              ElementsAre("s", "a", "b", "t"));
}

TEST_F(UnreadColumnsPassTest, CMP4_CanBeSwitchedOff) {
  const auto plan = compile(artifact(chain(), R"("t")", kOnlyId), {.prune_columns = false});
  EXPECT_THAT(ids(*plan), ElementsAre("s", "a", "b", "t"));
  EXPECT_THAT(notes(*plan, "columns"), IsEmpty());
}

TEST_F(UnreadColumnsPassTest, RemovesAHydrateOfNothingButNoTaskWithOtherEffects) {
  const auto plan = compile(artifact(
      R"({"id": "s", "op": "fixed_source"},
         {"id": "h", "op": "hydrate", "inputs": ["s"], "params": {"endpoint": "redis_default"}},
         {"id": "z", "op": "sleep", "inputs": ["h"], "params": {"duration_ms": 1}},
         {"id": "t", "op": "take", "inputs": ["z"], "params": {"count": 1}})",
      R"("t")",
      kOnlyId));
  EXPECT_THAT(ids(*plan), ElementsAre("s", "z", "t"));
}

}  // namespace
}  // namespace millrace::plan
