// The command lines that the contract promises, compared character by character.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shell.h"

namespace millrace::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

void expect_answer(const ShellResult& result, const std::string& plan, std::size_t candidates) {
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(count_of("\n", result.out), 1U) << result.out;
  EXPECT_THAT(result.out, StartsWith(R"({"engine_request_id":"e1",)"));
  EXPECT_THAT(result.out, HasSubstr(R"("plan":{"name":")" + plan + R"(")"));
  EXPECT_EQ(count_of(R"({"id":)", result.out), candidates) << result.out;
  EXPECT_THAT(result.out, HasSubstr(R"("degraded":{"is":false,"reasons":[]},"warnings":[])"));
}

void expect_bench(const ShellResult& result, const std::string& requests) {
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("my_plan"));
  EXPECT_THAT(result.out, HasSubstr(requests + " (0 failed, 0 refused)"));
  EXPECT_THAT(result.out, HasSubstr("requests/s"));
  EXPECT_THAT(result.out, HasSubstr("p99"));
}

TEST(PromisedLinesTest, CLI7_SimpleViewer) {
  const ShellResult result = Root().run(
      R"(echo '{"user_id": 1}' | engine/bin/rankd --async_scheduler --plan_name simple_plan)");
  expect_answer(result, "simple_plan", 1);
  EXPECT_THAT(
      result.out,
      HasSubstr(R"("candidates":[{"id":1,"fields":{"name":"Chidi 1","country":"JP","age":57}}])"));
}

TEST(PromisedLinesTest, CLI7_WithDeadline) {
  // A slow build may miss the deadline of 100 ms; then the answer must be exactly that error.
  const ShellResult result = Root().run(
      R"(echo '{"user_id": 1}' | engine/bin/rankd --async_scheduler --deadline_ms 100 --plan_name complex_plan)");
  if (result.exit_code == 1) {
    EXPECT_THAT(result.out, HasSubstr(R"("code":"deadline_exceeded")"));
    return;
  }
  expect_answer(result, "complex_plan", 50);
}

TEST(PromisedLinesTest, CLI7_WithPerNodeTimeout) {
  const ShellResult result = Root().run(
      R"(echo '{"user_id": 1}' | engine/bin/rankd --async_scheduler --node_timeout_ms 50 --plan_name complex_plan)");
  if (result.exit_code == 1) {
    EXPECT_THAT(result.out, HasSubstr(R"("code":"node_timeout")"));
    return;
  }
  expect_answer(result, "complex_plan", 50);
}

TEST(PromisedLinesTest, CLI7_BenchmarkToSeeTiming) {
  expect_bench(Root().run(R"(engine/bin/rankd --async_scheduler --bench 100 --plan_name my_plan)"),
               "100");
}

TEST(PromisedLinesTest, CLI7_EnableAsyncScheduler) {
  const ShellResult result = Root().run(
      R"(echo '{"user_id": 1}' | engine/bin/rankd --async_scheduler --plan_name my_plan)");
  expect_answer(result, "my_plan", 10);
  EXPECT_THAT(result.out, HasSubstr(R"("candidates":[{"id":100,"fields":{"score":50}},{"id":80,)"));
}

TEST(PromisedLinesTest, CLI7_BenchmarkModeWithAsyncScheduler) {
  expect_bench(
      Root().run(
          R"(engine/bin/rankd --async_scheduler --bench 1000 --bench_concurrency 100 --plan_name my_plan)"),
      "1000");
}

}  // namespace
}  // namespace millrace::e2e
