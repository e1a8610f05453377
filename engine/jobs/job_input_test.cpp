#include "jobs/job_input.h"

#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::jobs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

InputProblems check(const std::vector<std::string_view>& lines, bool has_plan = true) {
  return check_lines(lines, {.job = "j", .has_plan = has_plan, .bytes_max = 1000});
}

TEST(JobInputTest, LinesAndDigestComeFromTheFile) {
  const std::string path = ::testing::TempDir() + "job_input_test.jsonl";
  std::ofstream(path) << "one\ntwo\n\nfour";
  const auto input = JobInput::open(path);
  ASSERT_TRUE(input);
  EXPECT_THAT((*input)->lines(), ElementsAre("one", "two", "", "four"));
  EXPECT_THAT((*input)->digest(), ::testing::StartsWith("sha256:"));
  std::ofstream(path).flush();
  EXPECT_FALSE(JobInput::open(path)) << "empty";
  EXPECT_FALSE(JobInput::open("/nowhere/file"));
  EXPECT_FALSE(JobInput::open("/tmp"));
}

TEST(JobInputTest, JOB3_EveryLineIsCheckedAndOnlyTheFirstTwentyAreShown) {
  std::vector<std::string_view> lines(30, "nonsense");
  lines[3] = R"({"user_id":1})";
  const InputProblems problems = check(lines);
  EXPECT_EQ(problems.total, 29U);
  EXPECT_EQ(problems.first.size(), 20U);
  EXPECT_EQ(problems.first[3].line, 5U);
  EXPECT_THAT(problems.to_text(), HasSubstr("line 1: bad_json: "));
  EXPECT_THAT(problems.to_text(), HasSubstr("29 of the lines cannot be queued; nothing was\n"));
}

TEST(JobInputTest, JOB3_IdsAreThereOnceAndPlansAreNamed) {
  EXPECT_EQ(check({R"({"user_id":1})", R"({"user_id":1})"}).total, 0U);
  const InputProblems twice = check({R"({"user_id":1,"request_id":"a"})",
                                     R"({"user_id":2})",
                                     R"({"user_id":3,"request_id":"a"})",
                                     R"({"user_id":4,"request_id":"j-1"})"});
  EXPECT_EQ(twice.total, 2U);
  EXPECT_THAT(twice.to_text(), HasSubstr("line 3: bad_value: its request_id is that of line 1"));
  EXPECT_THAT(twice.to_text(), HasSubstr("line 4: bad_value: its request_id is that of line 2"));
  EXPECT_EQ(check({R"({"user_id":1})"}, false).total, 1U);
  EXPECT_EQ(check({R"({"user_id":1,"plan":"p"})"}, false).total, 0U);
}

TEST(JobInputTest, JOB3_ALineMustFitIntoAMessage) {
  const std::string line = R"({"user_id":1)" + std::string(1000, ' ') + "}";
  EXPECT_THAT(check({line}).to_text(), HasSubstr("too_large: the line has 1013 bytes"));
}

TEST(JobInputTest, JOB3_AMissingIdIsAdded) {
  EXPECT_EQ(with_request_id(R"({"user_id":1})", "j", 7), R"({"request_id":"j-7","user_id":1})");
  EXPECT_EQ(with_request_id(" { }", "j", 0), R"( {"request_id":"j-0" })");
  const std::string given = R"({"user_id":1,"request_id":"mine"})";
  EXPECT_EQ(with_request_id(given, "j", 7), given);
}

}  // namespace
}  // namespace millrace::jobs
