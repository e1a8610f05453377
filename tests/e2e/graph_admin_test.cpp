// Asks a running graph as people do: in a shell, with curl.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shell.h"

namespace millrace::e2e {
namespace {

using ::testing::HasSubstr;

/// Starts the greenhouse with `--admin` and runs the lines, in which `ask PATH` asks it; stops it
/// if they have not, and prints its exit code.
std::string with_graph(const std::string& lines) {
  return "engine/bin/topoexec graph run ./graph.yaml --admin unix:./s >out 2>log & PID=$!\n"
         "until grep -q 'can be asked' log; do kill -0 $PID || break; done\n"
         "ask() { P=$1; shift; curl -s --unix-socket ./s \"http://graph$P\" \"$@\"; }\n" +
         lines +
         "\nkill -TERM $PID 2>/dev/null\n"
         "wait $PID; echo \"exit $?\"\n";
}

TEST(GraphAdminTest, ARunningGraphAnswersCurl) {
  const Root root;
  const ShellResult result =
      root.run("cp examples/graphs/greenhouse.yaml graph.yaml\n" +
               with_graph("ask /readyz\n"
                          "ask /v1/status | cut -c1-50; echo\n"
                          "ask /metrics | grep -c '^runtime_scheduler_'\n"
                          "ask /v1/why/windwo; ask /v1/nothing -i\n"
                          "ask /v1/pause -X POST; ask /v1/status | cut -c1-60\n"
                          "ask /v1/resume -X POST\n"
                          "engine/bin/topoexec graph observe unix:./s --once\n"
                          "engine/bin/topoexec graph why window --at unix:./s\n"
                          "ask /v1/stop -X POST\n"
                          "wait $PID; echo stopped"));
  EXPECT_THAT(result.out, HasSubstr("ready\n")) << root.read("log") << result.err;
  EXPECT_THAT(result.out, HasSubstr(R"({"ok":true,"graph":"greenhouse","status":"running")"));
  EXPECT_THAT(result.out, HasSubstr("did you mean 'window'?"));
  EXPECT_THAT(result.out, HasSubstr("HTTP/1.1 404 Not Found"));
  EXPECT_THAT(result.out, HasSubstr(R"("status":"paused")"));
  EXPECT_THAT(result.out, HasSubstr("greenhouse: running for "));
  EXPECT_THAT(result.out, HasSubstr("\n  lane: next epoch at "));
  EXPECT_THAT(result.out, HasSubstr("stopped\n"));
  EXPECT_THAT(root.read("log"), HasSubstr("greenhouse: ok (stop_requested)"));
}

TEST(GraphAdminTest, G50_ConfigComesFromACallerOrFromTheFileAgain) {
  const Root root;
  const ShellResult result =
      root.run("cp examples/graphs/greenhouse.yaml graph.yaml\n" +
               with_graph("ask /v1/config -d '{\"smooth\":{\"factor\":2}}'\n"
                          "ask /v1/config -d '{\"smooth\":{\"factor\":\"x\"}}'\n"
                          "ask /v1/config -d '{\"window\":{\"x\":1}}'\n"
                          "ask /v1/config -d '{' -H 'Origin: http://elsewhere'\n"
                          "sed -i 's/factor: 0.1/factor: 0.2/' graph.yaml; kill -HUP $PID\n"
                          "until grep -q 'read again' log; do kill -0 $PID || break; done\n"
                          "echo 'no graph' >graph.yaml; kill -HUP $PID\n"
                          "until grep -q 'goes on as it was' log; do kill -0 $PID || break; done\n"
                          "ask /v1/status | grep -o 'committed_update_count\",\"value\":[0-9]'"));
  EXPECT_THAT(result.out, HasSubstr("{\"ok\":true}")) << root.read("log");
  EXPECT_THAT(result.out, HasSubstr("Expected number, found string"));
  EXPECT_THAT(result.out, HasSubstr("has no config 'x'"));
  EXPECT_THAT(result.out, HasSubstr("Web pages may not change a graph"));
  EXPECT_THAT(result.out, HasSubstr("committed_update_count\",\"value\":2"));
  EXPECT_THAT(root.read("log"), HasSubstr("read again, new config values for 1 component"));
  EXPECT_THAT(result.out, HasSubstr("exit 0"));
}

}  // namespace
}  // namespace millrace::e2e
