#include "plan/check/key_map_reader.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace millrace::plan {
namespace {

using testing::ElementsAre;

class KeyMapReaderTest : public PlanFixture {
 protected:
  [[nodiscard]] static std::string carrying(std::string_view carry) {
    return artifact(std::string(kViewer) +
                        R"(, {"id": "f", "op": "follow", "inputs": ["v"],
             "params": {"endpoint": "redis_default", "carry": )" +
                        std::string(carry) + "}}",
                    R"("f")");
  }
  [[nodiscard]] std::vector<KeyMove> read(std::string_view carry) const {
    const auto plan = compile(carrying(carry));
    return std::get<std::vector<KeyMove>>(node(*plan, "f").param("carry"));
  }
  [[nodiscard]] std::string refused(std::string_view carry) const {
    const ProblemReport report = problems(carrying(carry));
    return report.empty() ? "compiled" : std::string(report.problems()[0].code.text());
  }
};

TEST_F(KeyMapReaderTest, E1_TakesOneKeySeveralOrNewNames) {
  EXPECT_THAT(read(R"("name")"), ElementsAre(KeyMove{.to = "name", .from = "name"}));
  EXPECT_THAT(
      read(R"(["name", "age"])"),
      ElementsAre(KeyMove{.to = "name", .from = "name"}, KeyMove{.to = "age", .from = "age"}));
  EXPECT_THAT(read(R"({"author_name": "name", "age": "age"})"),
              ElementsAre(KeyMove{.to = "author_name", .from = "name"},
                          KeyMove{.to = "age", .from = "age"}));
  EXPECT_TRUE(read("[]").empty());
}

TEST_F(KeyMapReaderTest, E1_RefusesWhatCannotBeTakenAlong) {
  EXPECT_EQ(refused(R"(["nope"])"), "unknown_key");
  EXPECT_EQ(refused(R"(["secret"])"), "blocked_key");
  EXPECT_EQ(refused(R"(["id"])"), "key_not_writable");
  EXPECT_EQ(refused(R"(["parent_id"])"), "key_not_writable");
  EXPECT_EQ(refused(R"({"country": "name"})"), "key_not_writable");
  EXPECT_EQ(refused(R"({"score": "name"})"), "wrong_key_type");
  EXPECT_EQ(refused(R"({"rank": "age"})"), "null_into_key");
  EXPECT_EQ(refused(R"(["name", "name"])"), "bad_value");
  EXPECT_EQ(refused(R"([7])"), "wrong_type");
  EXPECT_EQ(refused("7"), "wrong_type");
}

TEST_F(KeyMapReaderTest, E9_ComputedColumnsAreWritableKeysOfTheResultsType) {
  const auto code = [&](std::string_view params) {
    const ProblemReport report = problems(artifact(R"({"id": "s", "op": "fixed_source"},
             {"id": "h", "op": "hydrate", "inputs": ["s"], "params": {"endpoint": "redis_default"}},
             {"id": "v", "op": "vm", "inputs": ["h"], "params": {}},
             {"id": "g", "op": "aggregate", "inputs": ["v"], "params": {"by": ["country"], )" +
                                                       std::string(params) + "}}",
                                                   R"("g")"));
    return report.empty() ? "compiled" : std::string(report.problems()[0].code.text());
  };
  EXPECT_EQ(code(R"("count": {"rank": "id"})"), "compiled");
  EXPECT_EQ(code(R"("count": {"rank": "name"})"), "compiled");
  EXPECT_EQ(code(R"("mean": {"boost": "age"}, "max": {"score": "score"}, "first": ["name"])"),
            "compiled");
  EXPECT_EQ(code(R"("max": ["score"])"), "compiled");
  EXPECT_EQ(code(R"("count": {"score": "id"})"), "wrong_key_type");  // a count is an int
  EXPECT_EQ(code(R"("mean": {"boost": "name"})"), "wrong_key_type");
  EXPECT_EQ(code(R"("max": {"boost": "age"})"), "wrong_key_type");
  EXPECT_EQ(code(R"("max": {"rank": "age"})"), "null_into_key");
  EXPECT_EQ(code(R"("max": ["age"])"), "key_not_writable");
  EXPECT_EQ(code(R"("max": {"age": "age"})"), "key_not_writable");
  EXPECT_EQ(code(R"("max": {"nope": "age"})"), "unknown_key");
  EXPECT_EQ(code(R"("max": {"boost": "nope"})"), "unknown_key");
  EXPECT_EQ(code(R"("count": {"rank": "author_name"})"), "key_not_available");
}

}  // namespace
}  // namespace millrace::plan
