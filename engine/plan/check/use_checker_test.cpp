#include "plan/check/use_checker.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class UseCheckerTest : public PlanFixture {
 protected:
  [[nodiscard]] std::vector<std::string> warnings(const std::string& bytes) const {
    std::vector<std::string> texts;
    const auto plan = compile(bytes);
    if (plan == nullptr) return {"refused"};
    for (const base::Problem& warning : plan->warnings) {
      texts.push_back(std::string(warning.code.text()) + " " + warning.path + " " +
                      warning.message);
    }
    return texts;
  }
};

TEST_F(UseCheckerTest, E10_ANodeWhoseRowsNothingUsesIsAWarningAtItsPlace) {
  EXPECT_THAT(warnings(artifact(
                  R"({"id": "s", "op": "fixed_source"},
             {"id": "k", "op": "filter", "inputs": ["s"], "params": {"pred": "id > 3"}},
             {"id": "t", "op": "take", "inputs": ["s"], "params": {"count": 3}})",
                  R"("t")")),
              ElementsAre("unused_node nodes[1] Nothing uses the rows of this node"));
}

TEST_F(UseCheckerTest, E10_FallbacksAndTheViewerAreUsed) {
  EXPECT_THAT(warnings(artifact(std::string(kViewer) +
                                    R"(, {"id": "b", "op": "fixed_source"},
                  {"id": "s", "op": "fixed_source", "on_failure": {"use": "node", "id": "b"}},
                  {"id": "k", "op": "filter", "inputs": ["s"], "params": {"pred": "id > viewer.age"}})",
                                R"("k")")),
              IsEmpty());
}

TEST_F(UseCheckerTest, E3_ReplacingAColumnThatNothingReadIsAWarningThatNamesBoth) {
  const auto chain = [](std::string_view second) {
    return artifact(
        R"({"id": "s", "op": "fixed_source"},
           {"id": "a", "op": "vm", "inputs": ["s"], "params": {"out_key": "score", "expr": "1.0"}},
           {"id": "b", "op": "vm", "inputs": ["a"], "params": {"out_key": "score", "expr": ")" +
            std::string(second) + R"("}})",
        R"("b")");
  };
  EXPECT_THAT(
      warnings(chain("2.0")),
      ElementsAre("key_replaced nodes[2] This node replaces a column that 'a' (vm) wrote and "
                  "nothing has read: score"));
  EXPECT_THAT(warnings(chain("score * 2.0")), IsEmpty());
}

TEST_F(UseCheckerTest, E3_AHydrateThatReplacesWhatWasTakenAlongIsAWarning) {
  EXPECT_THAT(
      warnings(artifact(
          std::string(kViewer) +
              R"(, {"id": "f", "op": "follow", "inputs": ["v"], "params": {"endpoint": "redis_default", "carry": ["name"]}},
                  {"id": "h", "op": "hydrate", "inputs": ["f"], "params": {"endpoint": "redis_default"}})",
          R"("h")",
          R"(, "output_keys": ["name"])")),
      ElementsAre(HasSubstr("'f' (follow) wrote and nothing has read: name")));
}

TEST_F(UseCheckerTest, AFallbackMustHaveTheKeysThatAreRead) {
  const ProblemReport report = problems(artifact(
      R"({"id": "w", "op": "fixed_source"},
         {"id": "h", "op": "hydrate", "inputs": ["w"], "params": {"endpoint": "redis_default"},
          "on_failure": {"use": "node", "id": "w"}})",
      R"("h")",
      R"(, "output_keys": ["name"])"));
  ASSERT_EQ(report.problems().size(), 1U) << report.to_text();
  EXPECT_EQ(report.problems()[0].code, ProblemCode::kBadFallback);
  EXPECT_THAT(report.problems()[0].message, HasSubstr("name"));
}

}  // namespace
}  // namespace millrace::plan
