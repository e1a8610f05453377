// What a request may use, tried with the real program: rows, memory, time of text operators.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shell.h"

namespace millrace::e2e {
namespace {

using ::testing::HasSubstr;

/// A root with one plan, `p`, and a line that asks for it.
class LimitsTest : public ::testing::Test {
 protected:
  ShellResult answer(const std::string& nodes, const std::string& flags = "") {
    root_.write("p.plan.json",
                R"({"schema_version": 1, "name": "p", "nodes": [)" + nodes +
                    R"(], "outputs": ["out"], "output_keys": ["id"]})");
    return root_.run(R"(echo '{"user_id": 1, "limit": 1}' | )"
                     "engine/bin/rankd --plan p.plan.json --plan_name p " +
                     flags);
  }
  /// Makes `data.redis` the data of the endpoints.
  void use_data() {
    EXPECT_EQ(root_
                  .run("rm registry && cp -r " MILLRACE_SOURCE_DIR
                       "/registry . && sed -i 's#data/demo.redis#data.redis#' "
                       "registry/endpoints.toml")
                  .exit_code,
              0);
  }
  Root root_;
};

constexpr const char* kSelfJoin = R"(
    {"id": "src", "op": "fixed_source", "inputs": [], "params": {"row_count": 20000}},
    {"id": "one", "op": "vm", "inputs": ["src"], "params": {"out_key": "score", "expr": "1.0"}},
    {"id": "out", "op": "join", "inputs": ["one"],
     "params": {"rhs": "one", "by": ["score"]}})";

TEST_F(LimitsTest, LIM1_AJoinThatExplodesNamesItsNode) {
  const ShellResult result = answer(kSelfJoin);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr(R"("code":"limit_reached")"));
  EXPECT_THAT(result.out,
              HasSubstr("--max_rows allows, 1000000, and this one would give 400000000"));
  EXPECT_THAT(result.out, HasSubstr(R"("node":"out","op":"join")"));
}

TEST_F(LimitsTest, LIM1_DoublingConcatsEnd) {
  std::string nodes =
      R"({"id": "n0", "op": "fixed_source", "inputs": [], "params": {"row_count": 1000}})";
  for (int i = 1; i <= 20; ++i) {
    const std::string from = "\"n" + std::to_string(i - 1) + "\"";
    nodes += R"(, {"id": ")" + (i == 20 ? std::string("out") : "n" + std::to_string(i)) +
             R"(", "op": "concat", "inputs": [)" + from + R"(], "params": {"rhs": )" + from + "}}";
  }
  const ShellResult result = answer(nodes);
  EXPECT_THAT(result.out, HasSubstr(R"("code":"limit_reached")"));
  EXPECT_THAT(result.out, HasSubstr(R"("node":"n10","op":"concat")"));
  const ShellResult more = answer(nodes, "--max_rows 1000000000 --max_request_memory 64MB");
  EXPECT_THAT(more.out, HasSubstr(R"("code":"limit_reached")"));
  EXPECT_THAT(more.out, HasSubstr("--max_request_memory allows, in bytes: 64000000"));
}

TEST_F(LimitsTest, LIM1_AFanOutFromMemoryEnds) {
  std::string list = "RPUSH follow:1";
  for (int i = 0; i < 1000; ++i) list += " 1";
  root_.write("data.redis", "HSET user:1 name x\n" + list + "\n");
  use_data();
  const ShellResult result = answer(R"(
    {"id": "v", "op": "viewer", "inputs": [], "params": {"endpoint": "redis_default"}},
    {"id": "a", "op": "follow", "inputs": ["v"], "params": {"endpoint": "redis_default", "fanout": 1000}},
    {"id": "b", "op": "follow", "inputs": ["a"], "params": {"endpoint": "redis_default", "fanout": 1000}},
    {"id": "out", "op": "follow", "inputs": ["b"],
     "params": {"endpoint": "redis_default", "fanout": 1000}})");
  EXPECT_THAT(result.out, HasSubstr(R"("code":"limit_reached")"));
  EXPECT_THAT(result.out, HasSubstr(R"("node":"out","op":"follow")"));
}

TEST_F(LimitsTest, C10_AFanOutFromMemoryAnswersAtItsDeadline) {
  std::string list = "RPUSH follow:1";
  for (int i = 0; i < 300; ++i) list += " 1";
  root_.write("data.redis", "HSET user:1 name x\n" + list + "\n");
  use_data();
  // 27 million rows take longer than 10 ms, and nothing but the loop is there to notice.
  const ShellResult result = answer(R"(
    {"id": "v", "op": "viewer", "inputs": [], "params": {"endpoint": "redis_default"}},
    {"id": "a", "op": "follow", "inputs": ["v"], "params": {"endpoint": "redis_default", "fanout": 300}},
    {"id": "b", "op": "follow", "inputs": ["a"], "params": {"endpoint": "redis_default", "fanout": 300}},
    {"id": "out", "op": "follow", "inputs": ["b"],
     "params": {"endpoint": "redis_default", "fanout": 300}})",
                                    "--deadline_ms 10 --max_rows 100000000");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr(R"("code":"deadline_exceeded")"));
  EXPECT_THAT(result.out, HasSubstr("was running"));
}

TEST_F(LimitsTest, C11_LIM6_AMillionCandidatesAreNeverLateAndOk) {
  root_.write("p.plan.json", R"({"schema_version": 1, "name": "p", "nodes": [
    {"id": "src", "op": "fixed_source", "inputs": [], "params": {"row_count": 1000000}},
    {"id": "out", "op": "sleep", "inputs": ["src"], "params": {"duration_ms": 0}}],
    "outputs": ["out"], "output_keys": ["id"]})");
  // To write them takes longer than that, and it is the loop that has the rows.
  const ShellResult result =
      root_.run(R"(echo '{"user_id": 1}' | engine/bin/rankd --plan p.plan.json --deadline_ms 10)");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr(R"("code":"deadline_exceeded")"));
  const ShellResult whole =
      root_.run(R"(echo '{"user_id": 1}' | engine/bin/rankd --plan p.plan.json | tail -c 200)");
  EXPECT_THAT(whole.out, HasSubstr(R"({"id":1000000,"fields":{}}],"took_ms":)"));
}

TEST_F(LimitsTest, LIM3_AFallbackStandsInForANodeThatIsTooLarge) {
  std::string nodes = kSelfJoin;
  nodes.insert(nodes.rfind('}'), R"(, "on_failure": {"use": "input"})");
  const ShellResult result = answer(nodes);
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr(R"("degraded":{"is":true)"));
}

TEST_F(LimitsTest, LIM4_ARegexOnAHugeTextIsARowError) {
  root_.write("data.redis", "HSET user:1 name " + std::string(200'000, 'x') + "\n");
  use_data();
  const ShellResult result = answer(R"(
    {"id": "v", "op": "viewer", "inputs": [], "params": {"endpoint": "redis_default"}},
    {"id": "out", "op": "filter", "inputs": ["v"], "params": {"pred": "name ~ /.{800}b/"}})");
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("A text is too long for its regex"));
}

TEST(EndingPluginTest, APluginThatEndsTheProcessIsNamed) {
  const Root root;
  const std::string line =
      " engine/bin/rankd --list-plans --plugin '" + std::string(MILLRACE_ENDING_PLUGIN) + "'";
  const ShellResult crashed = root.run("PLUGIN_END=abort" + line);
  EXPECT_NE(crashed.exit_code, 0);
  EXPECT_THAT(crashed.err, HasSubstr("ending_plugin"));
  EXPECT_THAT(crashed.err, HasSubstr("crashed while it was loaded"));
  const ShellResult ended = root.run("PLUGIN_END=exit" + line);
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_THAT(ended.err, HasSubstr("ended the process while it was loaded"));
  EXPECT_THAT(root.run(line).err, HasSubstr("it exports no millrace_task_plugin"));
}

TEST(UnreadableFilesTest, CLI9_AreErrorsWithTheReason) {
  const Root root;
  EXPECT_EQ(root.run("rm registry && cp -r " MILLRACE_SOURCE_DIR
                     "/registry . && sed -i 's#data/demo.redis#data#' registry/endpoints.toml")
                .exit_code,
            0);
  const ShellResult folder = root.run("echo '{}' | engine/bin/rankd --plan_name simple_plan");
  EXPECT_EQ(folder.exit_code, 1);
  EXPECT_THAT(folder.err,
              HasSubstr("The endpoint 'redis_default' cannot be used: Cannot read './data': Is a "
                        "directory\n"));
  const ShellResult loop = root.run(
      "ln -s b.plan.json a.plan.json; ln -s a.plan.json b.plan.json; "
      "engine/bin/rankd check a.plan.json");
  EXPECT_EQ(loop.exit_code, 1);
  EXPECT_THAT(loop.out, HasSubstr("Too many levels of symbolic links"));
}

TEST(UnreadableFilesTest, CLI9_ABrokenRegistryIsNotReplacedByAnother) {
  const Root root;
  const std::string ask = "echo '{\"user_id\": 1}' | engine/bin/rankd --plan_name simple_plan";
  const ShellResult loop = root.run("rm registry && ln -s registry registry && " + ask);
  EXPECT_EQ(loop.exit_code, 1);
  EXPECT_EQ(loop.out, "");
  EXPECT_THAT(loop.err, HasSubstr("registry/keys.toml"));
  const ShellResult empty = root.run("rm registry && mkdir registry && " + ask);
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_THAT(empty.err, HasSubstr("registry/keys.toml"));
}

}  // namespace
}  // namespace millrace::e2e
