// `rankd serve --nats` and `rankd request` as people start them, with a real NATS server.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nats_server.h"
#include "shell.h"

namespace millrace::e2e {
namespace {

using live::NatsServer;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

/// Shell functions: `serve NAME FLAGS...` starts a process and waits until it has joined its
/// groups; `finish NAME` ends it with TERM and prints its exit code; `metric NAME PATTERN` prints
/// values. Loops that wait are ended, with all they have started, after 200 s.
std::string shell(const NatsServer& server) {
  return "if [ -z \"$IS_LIMITED\" ]; then export IS_LIMITED=1; timeout -k 5 200 /bin/sh line.sh; "
         "C=$?\n"
         "[ $C != 124 ] || echo 'stopped after 200 s' >&2; exit $C; fi\n"
         "NATS=" +
         server.url() +
         "\n"
         "serve() { n=$1; shift\n"
         "  engine/bin/rankd serve --root . --port 0 --nats $NATS --set drain.notice=0 \"$@\" "
         "2>$n.log & echo $! >$n.pid\n"
         "  until grep -q '\"event\":\"listening\"' $n.log; do kill -0 $(cat $n.pid) || return; "
         "done\n"
         "  sed -n 's/.*\"address\":\"\\([^\"]*\\)\".*/\\1/p' $n.log | head -1 >$n.addr\n"
         "  until metric $n rankd_nats_joined | grep -q ' [1-9]'; do kill -0 $(cat $n.pid) || "
         "return; done; }\n"
         "metric() { curl -s http://$(cat $1.addr)/metrics | grep \"^$2\"; }\n"
         "finish() { kill -TERM $(cat $1.pid); wait $(cat $1.pid); echo \"$1 exit $?\"; }\n"
         "request() { engine/bin/rankd request --nats $NATS \"$@\"; }\n"
         "lines() { i=1; while [ $i -le $1 ]; do echo "
         "\"{\\\"user_id\\\":1,\\\"limit\\\":1,\\\"request_id\\\":\\\"r$i\\\"}\"; i=$((i+1)); "
         "done; }\n";
}

std::string slow_plan(int milliseconds) {
  return R"({"schema_version":1,"name":"slow","nodes":[)"
         R"({"id":"src","op":"fixed_source","inputs":[],"params":{"row_count":2}},)"
         R"({"id":"wait","op":"sleep","inputs":["src"],"params":{"duration_ms":)" +
         std::to_string(milliseconds) + R"(}}],"outputs":["wait"],"output_keys":["id"]})";
}

TEST(NatsServeTest, NAT1_NAT2_NAT9_AnswersAsHttpDoesInTheOrderOfTheLines) {
  const NatsServer server;
  const Root root;
  const ShellResult result = root.run(
      shell(server) +
      "serve a\n"
      "lines 500 | request --plan mixed_pipeline >answers; echo \"request $?\"\n"
      "grep -c '\"candidates\":\\[{\"id\"' answers\n"
      "sed 's/.*\"request_id\":\"\\(r[0-9]*\\)\".*/\\1/' answers >ids\n"
      "lines 500 | sed 's/.*\"\\(r[0-9]*\\)\".*/\\1/' | cmp - ids && echo ordered\n"
      "lines 1 | curl -s http://$(cat a.addr)/v1/rank/mixed_pipeline -d @- >http.json\n"
      "for f in answers http.json; do head -1 $f | sed 's/.*\\(\"candidates\":.*\\),\"took.*/\\1/' "
      ">$f.c; done; [ \"$(cat answers.c)\" = \"$(cat http.json.c)\" ] && echo same\n"
      "echo '{\"user_id\":1}' | request --plan nope; echo \"nobody $?\"\n"
      "echo '{\"user_id\":1,\"plan\":\"complex_dag\"}' | request --plan mixed_pipeline | "
      "grep -o '\"code\":\"[a-z_]*\"'\n"
      "echo bad | request --plan mixed_pipeline | grep -o '\"code\":\"[a-z_]*\"'\n"
      "metric a rankd_nats_received_total; metric a 'rankd_nats_answers_total{outcome=\"replied'\n"
      "finish a\n");
  EXPECT_THAT(result.out, HasSubstr("request 0\n500\nordered\nsame\n")) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\"error\":{\"code\":\"no_responders\""));
  EXPECT_THAT(result.out, HasSubstr("nobody 1\n"));
  EXPECT_THAT(result.out, HasSubstr("\"code\":\"plan_mismatch\"\n\"code\":\"bad_json\"\n"));
  EXPECT_THAT(result.out, HasSubstr("rankd_nats_received_total 502\n"));
  EXPECT_THAT(result.out, HasSubstr("{outcome=\"replied\"} 502\n"));
  EXPECT_THAT(result.out, HasSubstr("a exit 0\n"));
}

TEST(NatsServeTest, NAT1_AReloadAddsAndRemovesPlans) {
  const NatsServer server;
  const Root root;
  root.write("one.json",
             R"({"schema_version":1,"name":"one","nodes":[{"id":"src","op":"fixed_source",)"
             R"("inputs":[],"params":{"row_count":1}}],"outputs":["src"],"output_keys":["id"]})");
  const ShellResult result = root.run(
      shell(server) +
      "mkdir live; cp one.json live/one.plan.json; serve a --plan_dir live\n"
      "code() { echo '{\"user_id\":1}' | request --plan $1 | grep -o '\"code\":\"[a-z_]*\"' || "
      "echo fine; }\n"
      "code one; code two\n"
      "sed 's/\"one\"/\"two\"/' one.json >live/two.plan.json; kill -HUP $(cat a.pid)\n"
      "until metric a rankd_nats_joined | grep -q ' 2'; do kill -0 $(cat a.pid) || break; done\n"
      "code two\n"
      "rm live/one.plan.json; kill -HUP $(cat a.pid)\n"
      "until metric a rankd_nats_joined | grep -q ' 1'; do kill -0 $(cat a.pid) || break; done\n"
      "code one; code two; finish a\n");
  EXPECT_EQ(result.out,
            "fine\n\"code\":\"no_responders\"\nfine\n\"code\":\"no_responders\"\nfine\na exit 0\n")
      << result.err << root.read("a.log");
}

TEST(NatsServeTest, NAT7_TermUnderLoadLosesNothing) {
  const NatsServer server;
  const Root root;
  const ShellResult result = root.run(
      shell(server) +
      "serve a; serve b\n"
      "lines 4000 | request --plan mixed_pipeline --timeout_ms 60000 >answers & C=$!\n"
      "until metric a rankd_nats_received_total | grep -q ' [1-9][0-9][0-9]'; do kill -0 $C || "
      "break; done\n"
      "finish a; wait $C; echo \"request $?\"; wc -l <answers\n"
      "grep -vc '\"candidates\":\\[' answers; finish b\n");
  EXPECT_EQ(result.out, "a exit 0\nrequest 0\n4000\n0\nb exit 0\n")
      << result.err << root.read("a.log");
}

TEST(NatsServeTest, NAT6_TheServerOfNatsMayComeAndGo) {
  NatsServer server;
  server.kill();
  const Root root;
  const std::string begin =
      shell(server) +
      "engine/bin/rankd serve --root . --port 0 --nats $NATS --set drain.notice=0 2>a.log & "
      "echo $! >a.pid\n"
      "until grep -q '\"event\":\"listening\"' a.log; do kill -0 $(cat a.pid) || break; done\n"
      "sed -n 's/.*\"address\":\"\\([^\"]*\\)\".*/\\1/p' a.log | head -1 >a.addr\n"
      "until curl -sf -o o http://$(cat a.addr)/readyz; do kill -0 $(cat a.pid) || break; done\n"
      "curl -s http://$(cat a.addr)/readyz?verbose | grep transport\n"
      "echo '{\"user_id\":1}' | request --plan mixed_pipeline; echo \"request $?\"\n"
      "finish a\n";
  const ShellResult down = root.run(begin);
  EXPECT_THAT(down.out, HasSubstr("[-]transport nats: there is no connection\n"));
  EXPECT_THAT(down.out, HasSubstr("request 1\n"));
  EXPECT_THAT(down.err, HasSubstr("rankd: Cannot connect to NATS"));
  EXPECT_THAT(down.out, HasSubstr("a exit 0\n"));
  const ShellResult required = root.run(
      "NATS=" + server.url() +
      "\nengine/bin/rankd serve --root . --port 0 --nats $NATS --nats-required 2>a.log & P=$!\n"
      "until grep -q '\"event\":\"listening\"' a.log; do kill -0 $P || break; done\n"
      "A=$(sed -n 's/.*\"address\":\"\\([^\"]*\\)\".*/\\1/p' a.log | head -1)\n"
      "until curl -s http://$A/readyz?verbose | grep -q 'plan mixed_pipeline ok'; do kill -0 $P || "
      "break; done\n"
      "curl -s -o o -w 'ready %{http_code}\\n' http://$A/readyz\nkill -KILL $P\n");
  EXPECT_THAT(required.out, HasSubstr("ready 503\n"));
}

TEST(NatsServeTest, NAT6_NAT3_RequestsGoOnAfterTheServerOfNatsWasKilled) {
  NatsServer server;
  const Root root;
  EXPECT_THAT(root.run(shell(server) + "serve a\n").err, Not(HasSubstr("rror")));
  server.kill();
  server.start();
  const ShellResult result = root.run(
      shell(server) +
      "until lines 1 | request --plan mixed_pipeline >o; do kill -0 $(cat a.pid) || break; done\n"
      "grep -c candidates o; metric a rankd_nats_disconnects_total\n");
  EXPECT_THAT(result.out, HasSubstr("1\nrankd_nats_disconnects_total 1\n")) << result.err;
  (void)root.run("kill -TERM $(cat a.pid)");
}

TEST(NatsServeTest, NAT5_ASlowProcessGetsAtMostAFifthOfTheDeliveries) {
  const NatsServer server;
  const Root root;
  root.write("s/slow.plan.json", slow_plan(200));
  root.write("q/slow.plan.json", slow_plan(20));
  // Two processes of one plan; that of the one takes ten times as long, and it may have few
  // requests under way. Deliveries are judged, refused ones included, once it has found its pace.
  const ShellResult result = root.run(
      shell(server) +
      "serve a --plan_dir s --set log.requests=off --set overload.inflight_max=4 --set "
      "overload.limit_start=4\n"
      "serve b --plan_dir q --set log.requests=off\n"
      "value() { metric $1 \"$2\" | sed 's/.* //'; }\n"
      "lines 8000 >in; request --plan slow --concurrency 32 --timeout_ms 60000 <in >answers & "
      "R=$!\n"
      "until [ 0$(value a 'rankd_nats_group_changes_total{outcome=\"left') -ge 3 ]; do kill -0 $R "
      "|| break; done\n"
      "a=$(value a rankd_nats_received_total); b=$(value b rankd_nats_received_total)\n"
      "wait $R; wc -l <answers; grep -c '\"timeout\"' answers\n"
      "a=$(($(value a rankd_nats_received_total) - a)); b=$(($(value b rankd_nats_received_total) "
      "- b))\n"
      "echo \"slow $a of $((a + b))\"\n"
      "[ $((a + b)) -gt 1000 ] && [ $((a * 5)) -le $((a + b)) ] && echo few\n"
      "finish a; finish b\n");
  RecordProperty("deliveries", result.out);
  EXPECT_THAT(result.out, HasSubstr("8000\n0\n")) << result.err;
  EXPECT_THAT(result.out, HasSubstr("few\n")) << result.err;
  EXPECT_THAT(result.out, HasSubstr("a exit 0\nb exit 0\n"));
}

TEST(NatsServeTest, AnAnswerBeyondThePayloadSaysBothSizes) {
  const NatsServer server({.config = "max_payload: 2048\n"});
  const ShellResult result = Root().run(
      shell(server) +
      "serve a\n"
      "echo '{\"user_id\":1,\"limit\":500}' | request --plan complex_dag; echo \"request $?\"\n"
      "finish a\n");
  EXPECT_THAT(result.out,
              MatchesRegex("(.|\n)*response_too_large(.|\n)*bytes, and the NATS server "
                           "takes 2048(.|\n)*request 1\na exit 0\n"));
}

TEST(NatsServeTest, NAT8_PasswordsAreUsedAndNeverShown) {
  const NatsServer server({.config = "authorization { user: me, password: hush-hush }\n"});
  const Root root;
  const ShellResult result = root.run(
      shell(server) +
      "export RANKD_NATS_USER=me RANKD_NATS_PASSWORD=hush-hush\n"
      "serve a --log_level debug\n"
      "lines 1 | request --plan mixed_pipeline >o; echo \"request $?\"\n"
      "engine/bin/rankd serve --nats $NATS --print-config | grep nats\n"
      "RANKD_NATS_PASSWORD=wrong request --plan mixed_pipeline </dev/null; echo \"wrong $?\"\n"
      "finish a\n");
  EXPECT_THAT(result.out, HasSubstr("request 0\n")) << result.err;
  EXPECT_THAT(result.out, HasSubstr("wrong 1\n"));
  EXPECT_THAT(result.err, HasSubstr("rankd: Cannot connect to NATS"));
  for (const std::string& text : {result.out, result.err, root.read("a.log")})
    EXPECT_THAT(text, Not(HasSubstr("hush-hush")));
}

TEST(NatsServeTest, NAT8_CredentialsAndTlsForEveryProgramThatAsksNats) {
  const NatsServer server({.jetstream = true, .tls = true, .has_operator = true});
  const Root root;
  const ShellResult result = root.run(
      shell(server) + "export RANKD_NATS_TLS_CA=" + server.file("ca.pem") +
      " CREDS=" + server.file("user.creds") +
      "\nserve a --nats-creds $CREDS --set nats.tls_ca=$RANKD_NATS_TLS_CA --log_level debug\n"
      "lines 1 | request --nats-creds $CREDS --plan mixed_pipeline >o; echo \"request $?\"\n"
      "lines 1 | RANKD_NATS_CREDS=$CREDS request --plan mixed_pipeline >o; echo \"request $?\"\n"
      "lines 1 | request --plan mixed_pipeline; echo \"without $?\"\n"
      "lines 1 | request --nats-creds " +
      server.file("stranger.creds") +
      " --plan mixed_pipeline; echo \"stranger $?\"\n"
      "engine/bin/rankd serve --root . --port 0 --nats $NATS --nats-creds none; echo \"none $?\"\n"
      "batch() { engine/bin/rankd batch $1 --root . --nats $NATS --nats-creds $CREDS --job j $2 $3 "
      "$4; }\n"
      "lines 3 >in; batch submit in --plan mixed_pipeline; echo \"submit $?\"\n"
      "batch work; batch fetch --out out; grep -c candidates out; finish a\n");
  EXPECT_THAT(result.out, HasSubstr("request 0\nrequest 0\nwithout 1\nstranger 1\nnone 1\n"))
      << result.err << root.read("a.log");
  EXPECT_THAT(result.out, HasSubstr("submit 0\n"));
  EXPECT_THAT(result.out, HasSubstr("3\n"));
  EXPECT_THAT(result.out, HasSubstr("a exit 0\n"));
}

}  // namespace
}  // namespace millrace::e2e
