#include "apps/rankd/suites/suite_runner.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/rankd_fixture.h"

namespace millrace::rankd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TempFolder;

constexpr const char* kData = R"("data": ["HSET user:1 name Ada country DE", "RPUSH follow:1 9 4",
  "HSET user:4 name Bo country FR", "HSET user:9 name Cy country DE"])";

SuiteResult run(const TempFolder& folder, const std::string& text) {
  return run_suite(testing::repository_flags(), folder.write("x.test.json", text));
}

TEST(SuiteRunnerTest, AsksAnEngineOnTheDataOfTheSuite) {
  const TempFolder folder;
  const SuiteResult result =
      run(folder, std::string(R"({"plan": "simple_viewer", )") + kData + R"(, "cases": [
      {"name": "right", "request": {"user_id": 1}, "expect": {"ids": [1]}},
      {"name": "wrong", "request": {"user_id": 4}, "expect": {"ids": [1]}}]})");
  EXPECT_EQ(result.problems, "");
  ASSERT_EQ(result.cases.size(), 2U);
  EXPECT_THAT(result.cases[0].failures, IsEmpty());
  EXPECT_THAT(result.cases[1].failures, ElementsAre("expected the ids [1], got [4]"));
  EXPECT_EQ(result.failed_count(), 1U);
}

TEST(SuiteRunnerTest, NeedsNoServerWhereTheSuiteHasData) {
  const TempFolder folder;
  Flags flags = testing::repository_flags();
  flags.env = "prod";  // names hosts that do not exist
  const SuiteResult result =
      run_suite(flags,
                folder.write("x.test.json",
                             std::string(R"({"plan": "simple_viewer", )") + kData + R"(, "cases": [
      {"name": "right", "request": {"user_id": 1}, "expect": {"ids": [1]}}]})"));
  EXPECT_EQ(result.problems, "");
  EXPECT_EQ(result.failed_count(), 0U);
}

TEST(SuiteRunnerTest, SaysWhyASuiteCannotRun) {
  const TempFolder folder;
  const std::string one = R"("cases": [{"name": "a", "request": {}, "expect": {"count": 1}}]})";
  EXPECT_THAT(run(folder, "{").problems, HasSubstr("bad_syntax"));
  EXPECT_THAT(run(folder, R"({"plan": "no_such_plan", )" + one).problems,
              HasSubstr("no_such_plan"));
  EXPECT_THAT(run(folder, R"({"data": ["NONSENSE x"], )" + one).problems, HasSubstr("data"));
}

TEST(SuiteRunnerTest, FindsFilesOfTestsInOrder) {
  const TempFolder folder;
  folder.write("b.test.json", "");
  folder.write("a.test.json", "");
  folder.write("a.plan.json", "");
  EXPECT_THAT(find_suites(folder.path()),
              ElementsAre(folder.path() + "/a.test.json", folder.path() + "/b.test.json"));
  EXPECT_THAT(find_suites(folder.path() + "/none"), IsEmpty());
}

}  // namespace
}  // namespace millrace::rankd
