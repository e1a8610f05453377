// How `rankd run` treats its input and output: order, signals, errors, long lines.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shell.h"

namespace millrace::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kNap = R"({"schema_version": 1, "name": "nap", "nodes": [
    {"id": "src", "op": "fixed_source", "inputs": [], "params": {"row_count": 1}},
    {"id": "nap", "op": "sleep", "inputs": ["src"], "params": {"duration_ms": 300}}],
    "outputs": ["nap"], "output_keys": ["id"]})";

std::string numbered_lines(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) {
    lines += R"({"user_id": )" + std::to_string(i % 100 + 1) + R"(, "request_id": "r)" +
             std::to_string(i) + "\"}\n";
  }
  return lines;
}

TEST(PipeTest, CLI1_AnswersComeInTheOrderOfTheLines) {
  const Root root;
  root.write("lines", numbered_lines(2000));
  for (const char* const flags : {"", "--concurrency 1", "--concurrency 500 --loops 3"}) {
    const ShellResult result =
        root.run("engine/bin/rankd --plan_name complex_dag " + std::string(flags) + " < lines");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(count_of("\n", result.out), 2000U);
    std::size_t at = 0;
    for (int i = 0; i < 2000 && at != std::string::npos; ++i)
      at = result.out.find(R"({"request_id":"r)" + std::to_string(i) + "\"", at);
    EXPECT_NE(at, std::string::npos);
  }
}

TEST(PipeTest, CLI1_ManyRequestsAreUnderWayAtATime) {
  const Root root;
  root.write("nap.plan.json", kNap);
  std::string lines;
  for (int i = 0; i < 60; ++i) lines += "{\"user_id\": 1}\n";
  root.write("lines", lines);
  // One after the other they would take 18 s.
  const ShellResult result =
      root.run("timeout 15 engine/bin/rankd --plan nap.plan.json --plan_name nap < lines");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(count_of("\n", result.out), 60U);
}

TEST(PipeTest, CLI9_AFailedWriteIsOneWithTheReason) {
  const Root root;
  root.write("line", "{\"user_id\": 1}\n");
  for (const char* const command : {"--plan_name simple_plan < line",
                                    "--list-plans",
                                    "--print-registry",
                                    "--print-task-manifest",
                                    "--help",
                                    "check",
                                    "explain complex_dag",
                                    "seed",
                                    "doctor",
                                    "bench --count 5 --plan_name simple_plan"}) {
    const ShellResult result =
        root.run("engine/bin/rankd " + std::string(command) + " > /dev/full");
    EXPECT_EQ(result.exit_code, 1) << command;
    EXPECT_THAT(result.err, HasSubstr("stdout")) << command;
    EXPECT_THAT(result.err, HasSubstr("No space left on device")) << command;
  }
}

TEST(PipeTest, CLI9_AReaderThatGoesAwayIsAFailedWrite) {
  const Root root;
  root.write("lines", numbered_lines(20'000));
  const ShellResult result = root.run(
      "(engine/bin/rankd --plan_name complex_dag < lines; echo code $? >&2) | head -n 1 > first");
  EXPECT_THAT(result.err, HasSubstr("Cannot write to stdout: Broken pipe"));
  EXPECT_THAT(result.err, HasSubstr("code 1"));
}

TEST(PipeTest, CLI9_InputThatCannotBeReadIsOneWithTheReason) {
  const Root root;
  const ShellResult folder = root.run("engine/bin/rankd --plan_name simple_plan < /");
  EXPECT_EQ(folder.exit_code, 1);
  EXPECT_THAT(folder.err, HasSubstr("Cannot read stdin: Is a directory"));
  const ShellResult closed = root.run("engine/bin/rankd --plan_name simple_plan <&-");
  EXPECT_EQ(closed.exit_code, 1);
  EXPECT_THAT(closed.err, HasSubstr("Cannot read stdin"));
}

TEST(PipeTest, CLI9_WithStdoutClosedNothingLandsInOtherFiles) {
  const Root root;
  root.write("line", "{\"user_id\": 1, \"request_id\": \"mine\"}\n");
  const ShellResult result =
      root.run("engine/bin/rankd --plan_name simple_plan --dump-run-trace trace.json < line >&-");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("Cannot write to stdout"));
  EXPECT_EQ(root.read("trace.json").find("mine"), std::string::npos);
  EXPECT_THAT(root.run("engine/bin/rankd --list-plans 2>&-").out, HasSubstr("complex_dag"));
}

TEST(PipeTest, CLI10_ASignalEndsRunAndBenchInOrder) {
  const Root root;
  root.write("nap.plan.json", kNap);
  for (const char* const signal : {"TERM", "INT"}) {
    // The input never ends. The signal comes while the first request sleeps.
    const ShellResult run = root.run(
        "mkfifo pipe_" + std::string(signal) +
        " && (echo '{\"user_id\": 1}'; exec sleep 20) > pipe_" + signal + " & writer=$!\n" +
        "while ! [ -p pipe_" + signal + " ]; do :; done\n" +
        "engine/bin/rankd --plan nap.plan.json --plan_name nap --log_level info --log_format "
        "text " +
        "--dump-run-trace trace.json < pipe_" + signal + " 2> log_" + signal + " & program=$!\n" +
        "while ! grep -q 'ready for requests' log_" + signal + "; do :; done\n" + "kill -" +
        signal + " $program; wait $program; code=$?\nkill $writer; exit $code");
    EXPECT_EQ(run.exit_code, 0) << root.read("log_" + std::string(signal));
    EXPECT_LE(count_of("\n", run.out), 1U);
    EXPECT_THAT(root.read("trace.json"), HasSubstr("\n],\"otherData\":{"));
  }
  const ShellResult bench = root.run(
      "engine/bin/rankd bench --count 1000000000 --plan_name simple_plan --log_level info "
      "--log_format text 2> log & program=$!\n"
      "while ! grep -q 'ready for requests' log; do :; done\n"
      "kill -TERM $program; wait $program");
  EXPECT_EQ(bench.exit_code, 0);
  EXPECT_THAT(bench.out, HasSubstr("throughput"));
}

TEST(PipeTest, CLI9_ATraceFileThatCannotBeWrittenIsOneWithTheReason) {
  const Root root;
  root.write("line", "{\"user_id\": 1}\n");
  const ShellResult full =
      root.run("engine/bin/rankd --plan_name simple_plan --dump-run-trace /dev/full < line");
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.out, HasSubstr(R"("candidates":[{"id":1,)"));
  EXPECT_THAT(full.err, HasSubstr("Cannot write '/dev/full': No space left on device"));
  const ShellResult folder =
      root.run("engine/bin/rankd --plan_name simple_plan --dump-run-trace no/folder/t < line");
  EXPECT_EQ(folder.exit_code, 1);
  EXPECT_THAT(folder.err, HasSubstr("Cannot write 'no/folder/t': No such file or directory"));
}

TEST(PipeTest, CLI12_ATraceFileStaysWithinItsBound) {
  const Root root;
  root.write("lines", numbered_lines(3000));
  const ShellResult result = root.run(
      "engine/bin/rankd --plan_name complex_dag --dump-run-trace trace.json "
      "--trace_file_max_mb 1 < lines > answers");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("trace_full"));
  const std::string trace = root.read("trace.json");
  EXPECT_GT(trace.size(), 900'000U);
  EXPECT_LT(trace.size(), 1'100'000U);
  EXPECT_THAT(trace, HasSubstr("\n],\"otherData\":{"));
}

TEST(PipeTest, CLI11_ALongLineIsRefusedWhileItIsRead) {
  const Root root;
  // 50 MB without an end; the program must not hold them. The second line is served.
  const ShellResult result = root.run(
      "(head -c 50000000 /dev/zero | tr '\\0' x; echo; echo '{\"user_id\": 1}') | "
      "engine/bin/rankd --plan_name simple_plan");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(count_of("\n", result.out), 2U);
  EXPECT_THAT(result.out, HasSubstr(R"("code":"too_large")"));
  EXPECT_THAT(result.out, HasSubstr(R"("candidates":[{"id":1,)"));
  EXPECT_THAT(result.err, IsEmpty());
}

}  // namespace
}  // namespace millrace::e2e
