// The output and exit code of the program for every flag and subcommand.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shell.h"

namespace millrace::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(CommandLineTest, CLI1_ABadLineGetsAnErrorLineAndTheNextIsServed) {
  const Root root;
  root.write("lines", "{\"user_id\": 1,\n\n{\"user_id\": 1, \"request_id\": \"good\"}\n");
  const ShellResult result = root.run("engine/bin/rankd --plan_name simple_plan < lines");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(count_of("\n", result.out), 2U);
  EXPECT_THAT(result.out, HasSubstr(R"("error":{"code":"bad_json")"));
  EXPECT_THAT(result.out, HasSubstr(R"({"request_id":"good","engine_request_id":"e2","plan")"));
}

TEST(CommandLineTest, E8_APlanWithoutOutputKeysShowsWhatTheProfileHas) {
  const Root root;
  root.write("plain.plan.json", R"({"schema_version": 1, "name": "plain", "outputs": ["v"], "nodes":
      [{"id": "v", "op": "viewer", "inputs": [], "params": {"endpoint": "redis_default"}}]})");
  const ShellResult result =
      root.run(R"(echo '{"user_id": 1}' | engine/bin/rankd --plan plain.plan.json)");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(
      result.out,
      HasSubstr(
          R"("candidates":[{"id":1,"fields":{"age":57,"country":"JP","created_at":1714567626,)"
          R"("language":"pt","name":"Chidi 1","verified":false}}])"));
}

TEST(CommandLineTest, CLI5_WrongUsageIsTwo) {
  const Root root;
  EXPECT_EQ(root.run("engine/bin/rankd --no_such_flag").exit_code, 2);
  EXPECT_EQ(root.run("engine/bin/rankd --env moon").exit_code, 2);
  EXPECT_EQ(root.run("engine/bin/rankd --bench 0").exit_code, 2);
  EXPECT_EQ(root.run("engine/bin/rankd --deadline_ms -1").exit_code, 2);
  EXPECT_EQ(root.run("engine/bin/rankd explain").exit_code, 2);
}

TEST(CommandLineTest, CLI5_LimitsThatMakeNoSenseAreWrongUsage) {
  const Root root;
  for (const std::string flags : {"--max_request_memory -1",
                                  "--max_request_memory 0",
                                  "--max_request_memory 99999999999999999999",
                                  "--node_timeout_ms 1e-9",
                                  "--deadline_ms nan"}) {
    EXPECT_EQ(root.run("engine/bin/rankd --plan_name simple_plan " + flags).exit_code, 2) << flags;
  }
}

TEST(CommandLineTest, CLI5_WhatCannotStartIsOneAndSaysWhyOnStderr) {
  const Root root;
  const ShellResult unknown = root.run("engine/bin/rankd --plan_name my_plam");
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.out, IsEmpty());
  EXPECT_THAT(unknown.err, HasSubstr("my_plan"));
  const ShellResult no_folder = root.run("engine/bin/rankd --plan_dir nowhere");
  EXPECT_EQ(no_folder.exit_code, 1);
  EXPECT_THAT(no_folder.err, HasSubstr("nowhere"));
}

TEST(CommandLineTest, CLI4_ADeadEndpointIsAStructuredError) {
  const ShellResult result =
      Root().run(R"(echo '{"user_id": 1}' | engine/bin/rankd --env test --plan_name simple_plan)");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr(R"("code":"endpoint_unavailable")"));
  EXPECT_THAT(result.out, HasSubstr(R"("node":"v","op":"viewer")"));
}

TEST(CommandLineTest, TestsOfPlansPassOrSayWhatIsDifferent) {
  const Root root;
  const ShellResult passed = root.run("engine/bin/rankd test --junit results.xml");
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
  EXPECT_THAT(passed.out, HasSubstr("3 passed, 0 failed"));
  EXPECT_THAT(root.run("cat results.xml").out, HasSubstr("failures=\"0\""));
  const ShellResult failed = root.run(
      "sed 's/\\[9, 4, 2\\]/[9, 2, 4]/' plans/my_plan.test.json > changed.test.json && "
      "engine/bin/rankd test changed.test.json");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.out,
              HasSubstr("changed.test.json:8: expected the ids [9, 2, 4], got [9, 4, 2]"));
  EXPECT_EQ(root.run("engine/bin/rankd test none.test.json").exit_code, 1);
  EXPECT_EQ(root.run("engine/bin/rankd test --junit /dev/full").exit_code, 1);
}

TEST(CommandLineTest, TraceDrawsARunOfAFile) {
  const Root root;
  const ShellResult made = root.run(
      R"(echo '{"user_id": 1}' | engine/bin/rankd --plan_name complex_dag --dump-run-trace t.json)");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const ShellResult drawn = root.run("engine/bin/rankd trace t.json");
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_THAT(drawn.out, StartsWith("run 1 of 1: complex_dag"));
  EXPECT_THAT(drawn.out, HasSubstr("* v (viewer)"));
  EXPECT_THAT(drawn.out, HasSubstr("critical path: v > "));
  EXPECT_THAT(drawn.out, HasSubstr("100.0 %"));
  EXPECT_EQ(root.run("engine/bin/rankd trace t.json --run 1").exit_code, 0);
  EXPECT_THAT(root.run("engine/bin/rankd trace t.json --run 2").err, HasSubstr("has 1 runs"));
  EXPECT_EQ(root.run("engine/bin/rankd trace none.json").exit_code, 1);
  EXPECT_EQ(root.run("engine/bin/rankd trace").exit_code, 2);
  EXPECT_EQ(root.run("engine/bin/rankd trace plans/my_plan.plan.json").exit_code, 1);
}

TEST(CommandLineTest, HelpGoesToStdout) {
  const ShellResult result = Root().run("engine/bin/rankd --help");
  EXPECT_EQ(result.exit_code, 0);
  for (const char* const flag : {"--async_scheduler",
                                 "--plan_name",
                                 "--plan",
                                 "--plan_dir",
                                 "--deadline_ms",
                                 "--node_timeout_ms",
                                 "--bench",
                                 "--bench_concurrency",
                                 "--env",
                                 "--cpu_threads",
                                 "--loops",
                                 "--list-plans",
                                 "--print-registry",
                                 "--print-task-manifest",
                                 "--dump-run-trace",
                                 "--format"}) {
    EXPECT_THAT(result.out, HasSubstr(flag));
  }
  for (const char* const command :
       {"serve", "run", "bench", "explain", "check", "seed", "doctor"}) {
    EXPECT_THAT(result.out, HasSubstr(command));
  }
}

TEST(CommandLineTest, CLI2_ListPlans) {
  const ShellResult result = Root().run("engine/bin/rankd --list-plans");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("complex_dag"));
  EXPECT_THAT(result.out, HasSubstr("viewer_filter"));
}

TEST(CommandLineTest, CLI2_PrintRegistryAndManifest) {
  const Root root;
  const ShellResult registry = root.run("engine/bin/rankd --print-registry");
  EXPECT_EQ(registry.exit_code, 0);
  EXPECT_THAT(registry.out, StartsWith(R"({"keys":[)"));
  EXPECT_THAT(registry.out, HasSubstr(R"("redis_default")"));
  const ShellResult manifest = root.run("engine/bin/rankd --print-task-manifest");
  EXPECT_EQ(manifest.exit_code, 0);
  for (const char* const op : {"viewer", "http_fetch", "diversify", "fixed_source"})
    EXPECT_THAT(manifest.out, HasSubstr("\"" + std::string(op) + "\""));
}

TEST(CommandLineTest, CLI3_CheckReportsEveryProblem) {
  const Root root;
  EXPECT_EQ(root.run("engine/bin/rankd check").exit_code, 0);
  root.write("bad.plan.json",
             R"({"schema_version": 1, "name": "bad", "nodes": [
                 {"id": "a", "op": "nonsense", "inputs": [], "params": {}},
                 {"id": "b", "op": "take", "inputs": ["zz"], "params": {}}], "outputs": ["b"]})");
  const ShellResult bad = root.run("engine/bin/rankd check bad.plan.json");
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.out, HasSubstr("nonsense"));
  EXPECT_THAT(bad.out, HasSubstr("zz"));
  EXPECT_THAT(bad.out, HasSubstr("count"));
  const ShellResult json = root.run("engine/bin/rankd check --format json bad.plan.json");
  EXPECT_THAT(json.out, StartsWith(R"([{"file":"bad.plan.json","ok":false,"problems":[)"));
}

TEST(CommandLineTest, CLI3_ExplainShowsThePasses) {
  const Root root;
  const ShellResult text = root.run("engine/bin/rankd explain complex_dag");
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, HasSubstr("top_k"));
  const ShellResult json = root.run("engine/bin/rankd explain complex_dag --format json");
  EXPECT_EQ(json.exit_code, 0);
  EXPECT_THAT(json.out, StartsWith("{"));
  EXPECT_EQ(root.run("engine/bin/rankd explain nothing").exit_code, 1);
}

TEST(CommandLineTest, CLI3_SeedWritesDataThatAnEndpointLoads) {
  const Root root;
  EXPECT_EQ(root.run("engine/bin/rankd seed --users 5 --out five.redis").exit_code, 0);
  const ShellResult printed = root.run("engine/bin/rankd seed --users 5");
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_EQ(printed.out, root.read("five.redis"));
  EXPECT_THAT(printed.out, HasSubstr("HSET user:5 "));
  EXPECT_NE(root.run("engine/bin/rankd seed --users 5 --seed 2").out, printed.out);
  EXPECT_EQ(root.run("engine/bin/rankd seed --users 5 --out no/such/folder").exit_code, 1);
}

TEST(CommandLineTest, CLI3_DoctorTriesEveryPlan) {
  const ShellResult result = Root().run("engine/bin/rankd doctor");
  EXPECT_THAT(result.out, HasSubstr("request to complex_dag: answered"));
  EXPECT_THAT(result.out, HasSubstr("endpoint redis_default: embedded data"));
}

TEST(CommandLineTest, CLI3_ServeRefusesSettingsThatItDoesNotKnow) {
  const ShellResult result = Root().run("engine/bin/rankd serve --set server.lissten=x");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("did you mean 'server.listen'?"));
}

TEST(CommandLineTest, CLI6_BenchPrintsTheSameAsData) {
  const ShellResult result = Root().run(
      "engine/bin/rankd --bench 50 --bench_concurrency 4 --plan_name complex_dag --format json");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              StartsWith(R"({"plan":"complex_dag","requests":50,"failed":0,"refused":0,)"));
  for (const char* const field : {"requests_per_s",
                                  "p50_us",
                                  "p90_us",
                                  "p99_us",
                                  "max_us",
                                  "cpu_us_per_request",
                                  "inline_rate",
                                  "queue_delay_us",
                                  "round_trips_per_request",
                                  "commands_per_request",
                                  "memory_peak_bytes"}) {
    EXPECT_THAT(result.out, HasSubstr("\"" + std::string(field) + "\":"));
  }
}

TEST(CommandLineTest, CLI5_ABenchOfFailuresIsOne) {
  const ShellResult result = Root().run(
      R"(engine/bin/rankd --bench 5 --bench_request '{"user_id": "x"}' --plan_name simple_plan)");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("5 failed"));
  EXPECT_THAT(result.out, HasSubstr("bad_value"));
}

TEST(CommandLineTest, REQ4_IdsAsStrings) {
  const ShellResult result = Root().run(
      R"(echo '{"user_id": "1"}' | engine/bin/rankd --ids-as-strings --plan_name simple_plan)");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr(R"({"id":"1","fields")"));
}

TEST(CommandLineTest, REQ9_TheSameBytesWithAnyNumberOfThreads) {
  const Root root;
  std::string first;
  for (const char* const threads :
       {"--cpu_threads 1", "--cpu_threads 2 --loops 2", "--cpu_threads 8 --loops 3"}) {
    const ShellResult result = root.run(R"(echo '{"user_id": 3}' | engine/bin/rankd )" +
                                        std::string(threads) + " --plan_name complex_dag");
    const std::size_t begin = result.out.find(R"("candidates")");
    const std::string candidates =
        result.out.substr(begin, result.out.find(R"("took_ms")") - begin);
    if (first.empty()) first = candidates;
    EXPECT_EQ(candidates, first);
    EXPECT_GT(candidates.size(), 100U);
  }
}

}  // namespace
}  // namespace millrace::e2e
