// HAProxy with the shipped file in front of three `rankd` processes.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redis_server.h"
#include "shell.h"

namespace millrace::e2e {
namespace {

using ::testing::HasSubstr;

/// Shell functions: `serve a|b|c` starts a process on its port and waits until HAProxy uses it;
/// `codes` counts the answers by status.
std::string cluster_shell() {
  const std::string front = std::to_string(live::free_port());
  const std::string a = std::to_string(live::free_port());
  const std::string b = std::to_string(live::free_port());
  const std::string c = std::to_string(live::free_port());
  return "sed 's/:8000/:" + front + "/; s/:8081/:" + a + "/; s/:8082/:" + b + "/; s/:8083/:" + c +
         "/' " MILLRACE_SOURCE_DIR
         "/deploy/haproxy.cfg >haproxy.cfg\n"
         "H=http://127.0.0.1:" +
         front + "; a=" + a + "; b=" + b + "; c=" + c +
         "\n"
         "serve() { eval p=\\$$1; engine/bin/rankd serve --root . --port $p --set log.requests=off "
         "2>$1.log & echo $! >$1.pid\n"
         "  until curl -sf -o o http://127.0.0.1:$p/readyz; do kill -0 $(cat $1.pid) || return; "
         "done; }\n"
         "load() { curl -s -o /dev/null -w '%{http_code}\\n' -d '{\"user_id\":1,\"limit\":1}' "
         "\"$H/v1/rank/complex_dag#[1-$1]\" >>$2; }\n"
         "serve a; serve b; serve c\n"
         "haproxy -db -f haproxy.cfg >haproxy.log 2>&1 & HA=$!\n"
         "until curl -sf -o o $H/readyz; do kill -0 $HA || break; done\n"
         "finish() { kill $HA; for n in a b c; do kill -KILL $(cat $n.pid); done; }\n";
}

TEST(HaproxyTest, BAL1_TheFileIsValidAsShipped) {
  const ShellResult result = Root().run("haproxy -c -f " MILLRACE_SOURCE_DIR "/deploy/haproxy.cfg");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(count_of("WARNING", result.out + result.err), 0U) << result.out << result.err;
}

TEST(HaproxyTest, BAL2_ARollingRestartFailsNoRequest) {
  const Root root;
  const ShellResult result = root.run(
      cluster_shell() +
      "L=; for i in 1 2; do (until [ -e stop ]; do load 100 codes$i; done) & L=\"$L $!\"; done\n"
      "for n in a b c; do kill -TERM $(cat $n.pid); wait $(cat $n.pid); echo \"$n $?\"; serve $n\n"
      // Until HAProxy uses it again, two checks at most.
      "  until curl -s http://127.0.0.1:$(eval echo \\$$n)/metrics | grep -q "
      "'requests_total{plan=\"complex_dag\",outcome=\"ok\"}'; do :; done; done\n"
      "touch stop; wait $L; cat codes1 codes2 | sort | uniq -c | awk '{print $2}'\n"
      "[ $(cat codes1 codes2 | wc -l) -gt 500 ] && echo many; finish\n");
  EXPECT_THAT(result.out, HasSubstr("a 0\nb 0\nc 0\n200\nmany\n")) << result.err;
}

TEST(HaproxyTest, BAL2_AKilledProcessCostsAtMostWhatItHadUnderWay) {
  const Root root;
  const ShellResult result =
      root.run(cluster_shell() +
               "L=; for i in 1 2 3 4; do (until [ -e stop ]; do load 100 codes$i; done) & L=\"$L "
               "$!\"; done\n"
               "until [ -e codes4 ] && [ $(cat codes? | wc -l) -gt 400 ]; do :; done\n"
               "kill -KILL $(cat b.pid); n=$(cat codes? | wc -l)\n"
               "until [ $(cat codes? | wc -l) -gt $((n + 1200)) ]; do :; done\n"
               "touch stop; wait $L; echo \"failed $(cat codes? | grep -vc 200)\"; finish\n");
  // Four clients, so at most four requests were under way in it.
  EXPECT_THAT(result.out, ::testing::MatchesRegex("failed [0-4]\n")) << result.err;
}

}  // namespace
}  // namespace millrace::e2e
