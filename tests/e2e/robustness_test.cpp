// Hostile and unlucky surroundings: none of them ends the program without a reason.

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/format.h"
#include "shell.h"

namespace millrace::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A plan of one source and a chain of `take` behind it.
std::string chain_plan(int node_count) {
  std::string nodes = R"({"id": "n0", "op": "fixed_source", "params": {"row_count": 3}})";
  for (int i = 1; i < node_count; ++i) {
    nodes += base::format(
        R"(, {{"id": "n{}", "op": "take", "inputs": ["n{}"], "params": {{"count": 2}}}})",
        i,
        i - 1);
  }
  return base::format(
      R"({{"schema_version": 1, "name": "chain", "nodes": [{}], "outputs": ["n{}"]}})",
      nodes,
      node_count - 1);
}

TEST(RobustnessTest, AChainOfTenThousandNodesNeedsNoDeepStack) {
  const Root root;
  root.write("chain.plan.json", chain_plan(9'999));
  const ShellResult explained = root.run(
      "ulimit -s 4096; engine/bin/rankd --plan chain.plan.json explain chain | tail -c 30");
  EXPECT_THAT(explained.out, HasSubstr("always answers: yes")) << explained.err;
  const ShellResult answered = root.run(
      R"(ulimit -s 4096; echo '{"user_id": 1}' | engine/bin/rankd --plan chain.plan.json --plan_name chain)");
  EXPECT_EQ(answered.exit_code, 0) << answered.err;
  EXPECT_THAT(answered.out,
              HasSubstr(R"("candidates":[{"id":1,"fields":{}},{"id":2,"fields":{}}])"));
}

TEST(RobustnessTest, AKeyOfManyPartsIsAProblemOfTheRegistry) {
  const Root root;
  const ShellResult result = root.run(
      "cp -r registry/. mine && python3 -c \"print('[keys.' + '.'.join(['a'] * 50000) + ']')\" >> "
      "mine/keys.toml; engine/bin/rankd --registry mine --list-plans");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("keys.toml:"), HasSubstr("bad_toml: A key of more than 100 parts")));
}

TEST(RobustnessTest, CLI5_AFolderAmongPlanFilesStopsNoOtherPlan) {
  const Root root;
  ASSERT_EQ(
      root.run("mkdir -p mine/odd.plan.json && cp plans/simple_plan.plan.json mine").exit_code, 0);
  const ShellResult named = root.run(
      R"(echo '{"user_id": 1}' | engine/bin/rankd --plan_dir mine --plan_name simple_plan)");
  EXPECT_EQ(named.exit_code, 0) << named.err;
  EXPECT_THAT(named.err, HasSubstr("unreadable_file"));
  const ShellResult checked = root.run("engine/bin/rankd --plan_dir mine check");
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_THAT(checked.out,
              AllOf(HasSubstr("odd.plan.json:\nunreadable_file: Cannot read 'mine/odd.plan.json': "
                              "Is a directory"),
                    HasSubstr("simple_plan.plan.json: ok")));
  const ShellResult explained = root.run("engine/bin/rankd --plan_dir mine explain odd");
  EXPECT_EQ(explained.exit_code, 1);
  EXPECT_THAT(explained.err, HasSubstr("unreadable_file"));
}

TEST(RobustnessTest, ControlBytesOfAPlanDoNotReachTheTerminal) {
  const Root root;
  root.write(
      "bad.plan.json",
      R"({"schema_version": 1, "name": "a\u001b[2Jb", "nodes": [{"id": "v", "op": "vi\u009bewer"}],
                 "outputs": ["x\u202e"]})");
  const ShellResult checked = root.run("engine/bin/rankd check bad.plan.json");
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_THAT(checked.out,
              AllOf(HasSubstr("a\\u001b[2Jb"), HasSubstr("vi\\u009bewer"), HasSubstr("x\\u202e")));
  const ShellResult unknown = root.run("engine/bin/rankd --plan_name $(printf 'a\\033[2Jb')");
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("a\\u001b[2Jb"), Not(HasSubstr("\x1b"))));
  const ShellResult usage = root.run("engine/bin/rankd --env $(printf 'a\\033[2Jb')");
  EXPECT_EQ(usage.exit_code, 2);
  EXPECT_THAT(usage.err, Not(HasSubstr("\x1b")));
}

TEST(RobustnessTest, AThreadThatTheSystemRefusesIsSaidSo) {
  const Root root;
  ASSERT_EQ(root.run("chmod 755 .").exit_code, 0);
  // The limit counts all threads of a user and does not hold for root, who becomes a user that has
  // no other thread. Anybody else has threads already: the first new one is refused.
  const bool is_root = getuid() == 0;
  const auto with_limit = [&](int thread_count) {
    return root.run(
        base::format("echo '{{\"user_id\": 1}}' | ASAN_OPTIONS=detect_leaks=0 {} sh -c "
                     "'ulimit -p {} 2>/dev/null || ulimit -u {}; "
                     "exec engine/bin/rankd --cpu_threads 4 --loops 2 --plan_name simple_plan'",
                     is_root ? "setpriv --reuid=64123 --clear-groups" : "",
                     thread_count,
                     thread_count));
  };
  const int first = is_root ? 2 : 1;
  const int last = is_root ? 7 : 1;
  for (int thread_count = first; thread_count <= last; ++thread_count) {
    const ShellResult result = with_limit(thread_count);
    EXPECT_EQ(result.exit_code, 1) << thread_count;
    EXPECT_THAT(result.err, HasSubstr("Cannot start ")) << thread_count;
    EXPECT_THAT(result.err, Not(HasSubstr("unexpected"))) << thread_count;
  }
  if (is_root) EXPECT_EQ(with_limit(20).exit_code, 0);
}

TEST(RobustnessTest, TooFewDescriptorsAreSaidSo) {
  const Root root;
  // With fewer neither the loader of libraries nor the sanitizers can work.
  for (int count = 6; count <= 12; ++count) {
    const ShellResult result = root.run(
        base::format("ulimit -n {}; exec engine/bin/rankd --plan_name simple_plan", count));
    EXPECT_EQ(result.exit_code, 1) << count;
    EXPECT_NE(result.err, "") << count;
  }
}

TEST(RobustnessTest, CLI9_AFileThatMayNotGrowIsAFailedWrite) {
  // Outside of the limit, so that what is said can be kept.
  const ShellResult result = Root().run(
      R"(echo '{"user_id": 1}' > line; )"
      "(ulimit -f 0; exec engine/bin/rankd --plan_name simple_plan --dump-run-trace t.json "
      "< line 2>&1) | cat");
  EXPECT_THAT(result.out, HasSubstr("Cannot write 't.json': File too large"));
}

TEST(RobustnessTest, CLI5_AFullDiskIsAnErrorOfEveryCommand) {
  const Root root;
  ASSERT_EQ(
      root.run(
              R"(echo '{"user_id": 1}' | engine/bin/rankd --plan_name simple_plan --dump-run-trace t.json)")
          .exit_code,
      0);
  for (const std::string_view words : {"--plan_name simple_plan",
                                       "bench --plan_name simple_plan --count 10",
                                       "explain simple_plan",
                                       "explain simple_plan --format json",
                                       "check",
                                       "check --format json",
                                       "seed",
                                       "test",
                                       "doctor",
                                       "trace t.json",
                                       "--list-plans",
                                       "--print-registry",
                                       "--print-task-manifest",
                                       "--help",
                                       "serve --check-config",
                                       "serve --print-config"}) {
    const ShellResult result = root.run(
        base::format("echo '{{\"user_id\": 1}}' | engine/bin/rankd {} > /dev/full", words));
    EXPECT_EQ(result.exit_code, 1) << words;
    EXPECT_THAT(result.err, HasSubstr("No space left on device")) << words;
  }
}

TEST(RobustnessTest, SlowRequestsAreLogged) {
  const ShellResult result = Root().run(
      R"(echo '{"user_id": 1, "request_id": "r1"}' | engine/bin/rankd --plan_name simple_plan --slow_ms 0.001)");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr(R"("event":"request_slow","request_id":"r1")"));
}

}  // namespace
}  // namespace millrace::e2e
