// What docs/guides/explain.md says about the times of a run, with real runs. Its commands are run
// by tools/guides.py.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "base/formats/json_reader.h"

namespace {

using millrace::base::JsonValue;

struct Output {
  std::string text;
  int exit_code = -1;
};

// Runs a command as a reader of the guide would: in the root of the repository, with rankd in the
// path.
Output run(const std::string& command) {
  const std::string line = std::string("cd '") + MR_SOURCE_DIR + "' && export PATH='" +
                           MR_PROGRAM_DIR + "':$PATH && " + command;
  Output output;
  std::FILE* const pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> part{};
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe))
    output.text.append(part.data(), size);
  const int status = pclose(pipe);
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return output;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

double number(JsonValue value, std::string_view name) {
  return value.find_member(name).value().find_number().value();
}

// One run, from the response and from the dump: nodes by name, and when the run began and ended.
struct DumpedRun {
  std::map<std::string, double, std::less<>> service_us;
  double begin_us = 0;
  double end_us = 0;
  std::size_t node_count = 0;
};

DumpedRun read_dump(JsonValue root) {
  DumpedRun run;
  for (const JsonValue event : root.find_member("traceEvents")->children()) {
    const auto category = event.find_member("cat")->find_string();
    const auto phase = event.find_member("ph")->find_string();
    if (category == "run" && phase == "b") run.begin_us = number(event, "ts");
    if (category == "run" && phase == "e") run.end_us = number(event, "ts");
    if (category != "node" || phase != "X") continue;
    run.service_us[std::string(*event.find_member("name")->find_string())] = number(event, "dur");
    ++run.node_count;
  }
  return run;
}

TEST(ExplainGuideTest, T5_TheCriticalPathOfADumpedRunAddsUpToItsLatency) {
  const std::string path = ::testing::TempDir() + "/run_trace.json";
  const Output output =
      run(R"(echo '{"user_id": 1, "trace": true}' | rankd --plan_name diamond --dump-run-trace )" +
          path);
  ASSERT_EQ(output.exit_code, 0);
  const auto response = millrace::base::read_json(output.text);
  const auto dump = millrace::base::read_json(read_file(path));
  ASSERT_TRUE(response);
  ASSERT_TRUE(dump);
  const DumpedRun dumped = read_dump(dump->root());
  EXPECT_EQ(dumped.node_count, 4U);
  const JsonValue trace = response->root().find_member("trace").value();
  // Times in the dump count from the start of the machine, so a float of microseconds is not
  // precise.
  constexpr double kRoundingUs = 0.1;
  EXPECT_NEAR(number(trace, "latency_us"), dumped.end_us - dumped.begin_us, kRoundingUs);
  const JsonValue critical = trace.find_member("critical_path").value();
  double sum = number(critical, "final_gap_us");
  for (const JsonValue step : critical.find_member("steps")->children()) {
    const auto node = dumped.service_us.find(*step.find_member("node")->find_string());
    ASSERT_NE(node, dumped.service_us.end());
    EXPECT_NEAR(number(step, "service_us"), node->second, kRoundingUs);
    sum += number(step, "waiting_us") + number(step, "queued_us") + node->second;
  }
  EXPECT_NEAR(sum, dumped.end_us - dumped.begin_us, kRoundingUs);
}

TEST(ExplainGuideTest, ADumpThatCannotBeWrittenIsAnError) {
  EXPECT_EQ(run("echo '{\"user_id\": 1}' | rankd --plan_name my_plan --dump-run-trace "
                "/nonexistent/x.json 2>/dev/null")
                .exit_code,
            1);
}

TEST(ExplainGuideTest, TRC4_ABenchmarkDumpsEveryRun) {
  const std::string path = ::testing::TempDir() + "/bench_trace.json";
  const Output output =
      run("rankd bench --plan_name my_plan --count 300 --concurrency 8 --dump-run-trace " + path);
  ASSERT_EQ(output.exit_code, 0);
  const std::string dump = read_file(path);
  std::size_t runs = 0;
  for (std::size_t at = dump.find("\"late_count\""); at != std::string::npos;
       at = dump.find("\"late_count\"", at + 1))
    ++runs;
  EXPECT_GE(runs, 300U);  // 300 requests, and those for warm-up
  EXPECT_TRUE(millrace::base::read_json(dump,
                                        {.text_bytes_max = 1UL << 26,
                                         .string_bytes_max = 1UL << 16,
                                         .value_count_max = 10'000'000,
                                         .depth_max = 16}));
}

}  // namespace
