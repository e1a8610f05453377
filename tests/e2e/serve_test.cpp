// Runs `rankd serve` as people do: in a shell, with curl.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shell.h"

namespace millrace::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Starts a server on a free port, waits until it listens, runs the lines with its address in $A,
/// sends TERM, and prints the exit code.
std::string with_listening_server(const std::string& lines, const std::string& flags) {
  const std::string root = flags.find("--root") == std::string::npos ? "--root . " : "";
  return "RANKD_SERVICE_HOST=x engine/bin/rankd serve " + root +
         "--port 0 --set drain.notice=10ms " + flags +
         " 2>log & PID=$!\n"
         "until grep -q '\"event\":\"listening\"' log; do kill -0 $PID || break; done\n"
         "A=$(sed -n 's/.*\"address\":\"\\([^\"]*\\)\".*/\\1/p' log | head -1)\n" +
         lines +
         "\nkill -TERM $PID\n"
         "wait $PID; echo \"exit $?\"\n";
}

/// Runs the lines when the server is ready.
std::string with_server(const std::string& lines, const std::string& flags = "") {
  return with_listening_server(
      "until curl -sf -o ready http://$A/readyz; do kill -0 $PID || break; done\n" + lines, flags);
}

TEST(ServeTest, S15_RanksOverHttpAsOnStdin) {
  const Root root;
  const ShellResult result = root.run(with_server(
      "curl -s http://$A/v1/rank/mixed_pipeline -d '{\"user_id\":1,\"limit\":2}' >http.json\n"
      "echo '{\"user_id\":1,\"limit\":2}' | engine/bin/rankd --root . --plan_name mixed_pipeline "
      ">line.json\n"
      "for f in http line; do echo; sed 's/.*\\(\"candidates\":.*\\),\"took_ms\".*/\\1/' $f.json; "
      "done\n"));
  const std::size_t end = result.out.find('\n', 1);
  ASSERT_NE(end, std::string::npos) << result.err << root.read("log");
  const std::string first = result.out.substr(1, end - 1);
  EXPECT_THAT(first, HasSubstr("\"candidates\":[{\"id\":"));
  EXPECT_EQ(count_of(first, result.out), 2U) << result.out;
  EXPECT_THAT(result.out, HasSubstr("exit 0"));
}

TEST(ServeTest, S16_S17_HeadersAndProblems) {
  const ShellResult result = Root().run(with_server(
      "curl -si http://$A/v1/rank/mixed_pipeline -H 'X-Request-Id: r1' -d '{\"user_id\":1}'; echo\n"
      "curl -si http://$A/v1/rank/nope -d '{\"user_id\":1}'; echo\n"
      "curl -si -X DELETE http://$A/v1/plans; echo\n"
      "curl -si http://$A/v1/rank/mixed_pipeline -H 'Content-Type: text/plain' -d x; echo\n"));
  EXPECT_THAT(result.out, HasSubstr("X-Request-Id: r1"));
  EXPECT_THAT(result.out, HasSubstr("Server-Timing: read;dur="));
  EXPECT_THAT(result.out, HasSubstr("HTTP/1.1 404 "));
  EXPECT_THAT(result.out, HasSubstr("Content-Type: application/problem+json"));
  EXPECT_THAT(result.out, HasSubstr("HTTP/1.1 405 "));
  EXPECT_THAT(result.out, HasSubstr("Allow: GET, HEAD, OPTIONS"));
  EXPECT_THAT(result.out, HasSubstr("HTTP/1.1 415 "));
}

TEST(ServeTest, S21_ABatchIsAnsweredLineByLine) {
  const ShellResult result = Root().run(with_server(
      "i=0; while [ $i -lt 200 ]; do echo '{\"user_id\":1,\"limit\":1}'; i=$((i+1)); done >lines\n"
      "curl -s http://$A/v1/rank/mixed_pipeline/batch --data-binary @lines | grep -c "
      "'\"status\":200'\n"));
  EXPECT_THAT(result.out, HasSubstr("200\n"));
}

TEST(ServeTest, S1_S2_ListensOnSeveralAddressesAndKeepsMetricsOnTheAdminOne) {
  const ShellResult result = Root().run(with_server(
      "B=$(sed -n 's/.*\"address\":\"\\([^\"]*\\)\",\"listener\":\"admin\".*/\\1/p' log)\n"
      "curl -s -o o -w 'main %{http_code}\\n' http://$A/metrics\n"
      "curl -s -o o -w 'admin %{http_code}\\n' http://$B/metrics\n"
      "curl -s -o o -w 'unix %{http_code}\\n' --unix-socket sock http://x/v1/plans\n",
      "--admin 127.0.0.1:0 --set server.listen=127.0.0.1:0,unix:sock"));
  EXPECT_THAT(result.out, HasSubstr("main 404"));
  EXPECT_THAT(result.out, HasSubstr("admin 200"));
  EXPECT_THAT(result.out, HasSubstr("unix 200"));
}

TEST(ServeTest, S3_SeveralLoopsAnswerManyConnections) {
  const ShellResult result = Root().run(
      with_server("for i in 1 2 3 4 5 6 7 8; do curl -s "
                  "\"http://$A/v1/rank/complex_dag?user_id=[1-20]\" > out$i & L=\"$L $!\"; done\n"
                  "wait $L\ncat out? | grep -o '\"candidates\"' | wc -l\n",
                  "--loops 2"));
  EXPECT_THAT(result.out, HasSubstr("160\n"));
  EXPECT_THAT(result.out, HasSubstr("exit 0"));
}

TEST(ServeTest, S42_EveryRequestHasItsLineOnStderr) {
  const Root root;
  const ShellResult result =
      root.run(with_server("curl -s http://$A/v1/rank/mixed_pipeline -H 'X-Request-Id: r7' -d "
                           "'{\"user_id\":1}' -o o\n"));
  const std::string log = root.read("log");
  EXPECT_EQ(count_of("\"request_id\":\"r7\"", log), 1U) << log;
  EXPECT_THAT(log, HasSubstr("\"event\":\"setting_ignored\""));
  EXPECT_THAT(log, HasSubstr("\"event\":\"drain_end\""));
}

TEST(ServeTest, S45_SettingsAreCheckedAndPrinted) {
  const Root root;
  root.write("good.toml", "[server]\nlisten = [\"127.0.0.1:9\"]\nidle_timeout = \"9s\"\n");
  root.write("bad.toml", "[server]\nidle_timeuot = \"9s\"\n");
  const ShellResult good = root.run(
      "RANKD_SERVER_IDLE_TIMEOUT=8s engine/bin/rankd serve --config good.toml --deadline_ms 50 "
      "--set server.loops=2 --print-config");
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_THAT(good.out, HasSubstr("server.listen = 127.0.0.1:9  # good.toml:2:1\n"));
  EXPECT_THAT(good.out, HasSubstr("server.idle_timeout = 8s  # RANKD_SERVER_IDLE_TIMEOUT\n"));
  EXPECT_THAT(good.out, HasSubstr("server.deadline = 50000us  # command line\n"));
  EXPECT_THAT(good.out, HasSubstr("server.loops = 2  # command line\n"));
  EXPECT_EQ(root.run("engine/bin/rankd serve --config good.toml --check-config").exit_code, 0);
  const ShellResult bad = root.run("engine/bin/rankd serve --config bad.toml --check-config");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.err, HasSubstr("bad.toml:2:1: unknown_setting:"));
  EXPECT_THAT(bad.err, HasSubstr("did you mean 'server.idle_timeout'?"));
}

TEST(ServeTest, APortThatIsTakenIsAnError) {
  const ShellResult result = Root().run(with_server(
      "engine/bin/rankd serve --root . --listen $A 2>second; echo \"second $?\"; cat second\n"));
  EXPECT_THAT(result.out, HasSubstr("second 1"));
  EXPECT_THAT(result.out, HasSubstr("Cannot listen on 127.0.0.1:"));
  EXPECT_THAT(result.out, HasSubstr("exit 0"));
}

TEST(ServeTest, S47_TheEndIsAnnouncedBeforeItComes) {
  const ShellResult result = Root().run(with_server(
      "kill -HUP $PID; curl -s -o o -w 'after hup %{http_code}\\n' http://$A/readyz\n"
      "kill -TERM $PID\n"
      "until curl -s http://$A/readyz | grep -q 'not ready'; do kill -0 $PID || break; done\n"
      "curl -si http://$A/v1/rank/mixed_pipeline -d '{\"user_id\":1}'; echo\n"
      "kill -TERM $PID\n",
      "--set drain.notice=20s"));
  EXPECT_THAT(result.out, HasSubstr("after hup 200"));
  EXPECT_THAT(result.out, HasSubstr("HTTP/1.1 200 OK"));
  EXPECT_THAT(result.out, HasSubstr("Connection: close"));
  // The second signal ends it at once.
  EXPECT_THAT(result.out, HasSubstr("exit 1"));
}

TEST(ServeTest, S47_WhatTakesTooLongIsGivenUp) {
  const Root root;
  root.write("slow.plan.json",
             R"({"schema_version":1,"name":"slow","nodes":[)"
             R"({"id":"src","op":"fixed_source","inputs":[],"params":{"row_count":2}},)"
             R"({"id":"wait","op":"sleep","inputs":["src"],"params":{"duration_ms":9000}}],)"
             R"("outputs":["wait"],"output_keys":["id"]})");
  const ShellResult result = root.run(
      "engine/bin/rankd serve --root . --port 0 --plan slow.plan.json --set drain.notice=0 "
      "--set drain.timeout=100ms --set plans.warmup_required=false --set server.deadline_max=20s "
      "2>log & PID=$!\n"
      "until grep -q '\"event\":\"listening\"' log; do kill -0 $PID || break; done\n"
      "A=$(sed -n 's/.*\"address\":\"\\([^\"]*\\)\".*/\\1/p' log | head -1)\n"
      "curl -si http://$A/v1/rank/slow -d '{\"user_id\":1}' >out & C=$!\n"
      "until curl -s http://$A/metrics | grep -q 'inflight{priority=\"normal\"} 1'; do "
      "kill -0 $PID || break; done\n"
      "kill -TERM $PID; wait $PID; echo \"exit $?\"; wait $C; cat out\n");
  EXPECT_THAT(result.out, HasSubstr("exit 1"));
  EXPECT_THAT(result.out, HasSubstr("HTTP/1.1 503 "));
  EXPECT_THAT(result.out, HasSubstr("urn:millrace:error:draining"));
}

TEST(ServeTest, S47_ARequestUnderWayIsAnsweredWhenTheServerEnds) {
  const Root root;
  root.write("slow.plan.json",
             R"({"schema_version":1,"name":"slow","nodes":[)"
             R"({"id":"src","op":"fixed_source","inputs":[],"params":{"row_count":2}},)"
             R"({"id":"wait","op":"sleep","inputs":["src"],"params":{"duration_ms":1500}}],)"
             R"("outputs":["wait"],"output_keys":["id"]})");
  const ShellResult result = root.run(with_listening_server(
      "curl -si http://$A/v1/rank/slow -d '{\"user_id\":1}' >out & C=$!\n"
      "until curl -s http://$A/metrics | grep -q 'inflight{priority=\"normal\"} 1'; do "
      "kill -0 $C || break; done\n"
      "kill -TERM $PID; wait $C; cat out\n",
      "--plan slow.plan.json --set plans.warmup_required=false"));
  EXPECT_THAT(result.out, HasSubstr("HTTP/1.1 200 OK"));
  EXPECT_THAT(result.out, HasSubstr("\"candidates\":[{\"id\":"));
}

TEST(ServeTest, S47_HupReloadsAndIntEndsWithoutNotice) {
  const Root root;
  const std::string plan =
      R"({"schema_version":1,"name":"live","nodes":[{"id":"src","op":"fixed_source","inputs":[],)"
      R"("params":{"row_count":ROWS}}],"outputs":["src"],"output_keys":["id"]})";
  root.write("live.txt", plan);
  const ShellResult result = root.run(
      "mkdir live; sed s/ROWS/1/ live.txt >live/live.plan.json\n" +
      with_server("curl -s http://$A/v1/rank/live?user_id=1 | grep -o '\"id\":' | wc -l\n"
                  "sed s/ROWS/3/ live.txt >new; mv new live/live.plan.json; kill -HUP $PID\n"
                  "until grep -q '\"event\":\"plans_reloaded\".*\"changed\":\"live\"' log; do "
                  "kill -0 $PID || break; done\n"
                  "curl -s http://$A/v1/rank/live?user_id=1 | grep -o '\"id\":' | wc -l\n"
                  "engine/bin/rankd probe $A; echo \"probe $?\"\n"
                  "kill -INT $PID; wait $PID; echo \"int $?\"\n"
                  "engine/bin/rankd probe $A; echo \"probe $?\"\n",
                  "--plan_dir live --set drain.notice=60s --set drain.timeout=120s"));
  EXPECT_THAT(result.out, HasSubstr("1\n3\nprobe 0\nint 0\nprobe 1\n")) << root.read("log");
  EXPECT_THAT(result.err, HasSubstr("rankd: the server at 127.0.0.1:"));
}

TEST(ServeTest, S48_ServiceManagersAreToldAndHandSocketsDown) {
  const Root root;
  const ShellResult result =
      root.run("python3 '" MILLRACE_SOURCE_DIR
               "/tests/e2e/with_supervisor.py' engine/bin/rankd serve --root . --port 1 "
               "--set drain.notice=10ms 2>log");
  EXPECT_THAT(result.out,
              ::testing::MatchesRegex("READY=1\nWATCHDOG=1\nmain 200 404\nadmin 200\n"
                                      "RELOADING=1 MONOTONIC_USEC=[0-9]+\nREADY=1\n"
                                      "STOPPING=1\nexit 0\n"))
      << root.read("log");
}

/// A graph that writes its epoch to a table, and a project whose plan reads it.
void write_graph_project(const Root& root, const std::string& more_components = "") {
  root.write(
      "beat.yaml",
      "schema_version: 1\ngraph: {name: beat, kind: internal_test}\n"
      "lanes: {tick: {type: fixed_rate, period: 5ms, wall_clock_enabled: true}}\ncomponents:\n"
      "  - {id: n, type: core.counter, execution: {lane: tick}}\n"
      "  - {id: all, type: core.collect, trigger_policy: {type: any_input, inputs: [in]}, "
      "execution: {lane: tick}}\n"
      "  - {id: t, type: core.table, config: {table: beats, key: now}, trigger_policy: {type: "
      "any_input, inputs: [in]}, execution: {lane: tick}}\n" +
          more_components +
          "edges:\n"
          "  - {id: a, kind: immediate, from: n.out, to: all.in}\n"
          "  - {id: b, kind: immediate, from: all.out, to: t.in}\n" +
          (more_components.empty() ? ""
                                   : "  - {id: c, kind: immediate, from: n.out, to: bad.in}\n"));
  root.write("project/registry/keys.toml", "");
  root.write("project/registry/params.toml", "");
  std::string endpoints;
  for (const char* const env : {"dev", "test", "prod"})
    endpoints += "[" + std::string(env) + ".g]\nkind = 'graph'\ntables = ['beats']\n";
  root.write("project/registry/endpoints.toml", endpoints);
  root.write("project/plans/beat.plan.json",
             R"({"schema_version":1,"name":"beat","nodes":[{"id":"src","op":"list","inputs":[],)"
             R"("params":{"endpoint":"g","pattern":"beats:now"}}],"outputs":["src"]})");
}

TEST(ServeTest, S59_AGraphRunsBesideThePlans) {
  const Root root;
  write_graph_project(root);
  const ShellResult result = root.run(with_server(
      "curl -s http://$A/v1/graphs; echo\n"
      "curl -s http://$A/v1/graphs/beat; echo\n"
      "curl -s http://$A/v1/graphs/beat/why/all; echo\n"
      "curl -s http://$A/readyz?verbose; echo\n"
      "until curl -s http://$A/v1/rank/beat -d '{\"user_id\":1}' | tee answer | grep -q '\"id\":'; "
      "do "
      "kill -0 $PID || break; done; cat answer; echo\n"
      "curl -s http://$A/metrics | grep 'runtime_scheduler_tick_count'\n"
      "curl -s http://$A/v1/stats | tr '{' '\\n' | grep -A1 'runtime.scheduler.tick_count'\n",
      "--root project --graph beat.yaml"));
  EXPECT_THAT(result.out, HasSubstr(R"({"graphs":[{"name":"beat","state":"running","epochs":{)"));
  EXPECT_THAT(result.out, HasSubstr(R"("lanes":[{"lane":"tick","runtime.scheduler.tick_count":)"));
  EXPECT_THAT(result.out, HasSubstr(R"({"component":"all","epoch":)"));
  EXPECT_THAT(result.out, HasSubstr("[+]graph beat ok\n"));
  EXPECT_THAT(result.out, HasSubstr(R"("state":{"graph":"beat","tables":{"beats":)"));
  EXPECT_THAT(result.out, HasSubstr(R"(lane="tick")"));
  EXPECT_THAT(result.out, HasSubstr(R"("lane":"tick")"));
  EXPECT_THAT(result.out, HasSubstr("exit 0")) << root.read("log");
  const std::string log = root.read("log");
  EXPECT_LT(log.find("graph_start"), log.find("listening"));
  EXPECT_LT(log.find("drain_end"), log.find("graph_end")) << log;
}

TEST(ServeTest, S59_AFailedGraphIsNotReady) {
  const Root root;
  write_graph_project(
      root,
      "  - {id: bad, type: core.fail, config: {fail_at: [200]}, trigger_policy: {type: "
      "any_input, inputs: [in]}, execution: {lane: tick}}\n");
  const ShellResult result = root.run(with_listening_server(
      "until curl -s http://$A/readyz?verbose -o v; grep -q '^.+.plan beat ok' v && "
      "grep -q '^.-.graph beat' v; do kill -0 $PID || break; done; cat v\n"
      "curl -s -o answer -w '%{http_code}\\n' http://$A/v1/rank/beat -d '{\"user_id\":1}'\n"
      "curl -s http://$A/v1/graphs; echo\n",
      "--root project --graph beat.yaml"));
  EXPECT_THAT(result.out,
              HasSubstr("[-]graph beat: component 'bad' failed: failed as configured\nnot ready"));
  EXPECT_THAT(result.out, HasSubstr("\n200\n")) << "requests see the last tables";
  EXPECT_THAT(result.out, HasSubstr(R"("state":"failed","problem":"component 'bad')"));
  EXPECT_THAT(result.out, HasSubstr("exit 0"));
}

TEST(ServeTest, G70_RunAndBenchTakeAGraphToo) {
  const Root root;
  write_graph_project(root);
  const std::string program = "engine/bin/rankd --root project --graph beat.yaml ";
  const ShellResult run = root.run("echo '{\"user_id\":1}' | " + program + "--plan_name beat");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr(R"("state":{"graph":"beat","tables":{"beats":)"));
  EXPECT_EQ(root.run(program + "bench --plan_name beat --count 20").exit_code, 0);
  EXPECT_THAT(root.run(program + "doctor").out, HasSubstr("graph beat: it starts"));
  const ShellResult without =
      root.run("echo '{\"user_id\":1}' | engine/bin/rankd --root project --plan_name beat");
  EXPECT_EQ(without.exit_code, 1);
  EXPECT_THAT(without.out, HasSubstr("start it with --graph FILE"));
  const ShellResult bad = root.run("engine/bin/rankd --root project --graph none.yaml </dev/null");
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.err, HasSubstr("Graph none.yaml: Cannot open the file"));
}

}  // namespace
}  // namespace millrace::e2e
