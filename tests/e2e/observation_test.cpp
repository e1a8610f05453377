// What operators see of `rankd serve`: metrics, traces, slow requests, `rankd top`.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shell.h"

namespace millrace::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Starts a server on a free port, runs the lines with its address in $A, and ends it.
std::string with_watched_server(const std::string& lines,
                                const std::string& flags = "",
                                const std::string& variables = "") {
  return variables + " engine/bin/rankd serve --root . --port 0 --set drain.notice=10ms " + flags +
         " 2>log & PID=$!\n"
         "until grep -q '\"event\":\"listening\"' log; do kill -0 $PID || break; done\n"
         "A=$(sed -n 's/.*\"address\":\"\\([^\"]*\\)\".*/\\1/p' log | head -1)\n"
         "until curl -sf -o ready http://$A/readyz; do kill -0 $PID || break; done\n" +
         lines +
         "\nkill -TERM $PID\n"
         "wait $PID; echo \"exit $?\"\n";
}

TEST(ObservationTest, S39_TheClientLibraryReadsAScrapeThatShowsWhatThePageLists) {
  const ShellResult result =
      Root().run(with_watched_server(
          "curl -s \"http://$A/v1/rank/complex_dag?user_id=[1-70]\" -o o\n"
          "curl -s http://$A/v1/rank/nope -d '{\"user_id\":1}' -o o\n"
          "curl -s http://$A/metrics >text\n"
          "curl -s http://$A/metrics -H 'Accept: application/openmetrics-text' >open\n"
          "/usr/bin/python3 - <<'END'\n"
          "import re\n"
          "from prometheus_client import parser\n"
          "from prometheus_client.openmetrics import parser as open_parser\n"
          "text = list(parser.text_string_to_metric_families(open('text').read()))\n"
          "names = {line.split()[2] for line in open('text') if line.startswith('# TYPE')}\n"
          "list(open_parser.text_string_to_metric_families(open('open').read()))\n"
          "page = open('" MILLRACE_SOURCE_DIR "/docs/reference/metrics.md').read()\n"
          "listed = set(re.findall(r'^\\| `([a-z_]+)` \\|', page, re.M))\n"
          "print('differ', sorted(names ^ listed))\n"
          "values = {(s.name, tuple(sorted(s.labels.items()))): s.value for f in text for s in "
          "f.samples}\n"
          "total = lambda name: sum(v for (n, _), v in values.items() if n == name)\n"
          "print('received', total('rankd_requests_received_total'), "
          "total('rankd_requests_total') + total('rankd_inflight'))\n"
          "print('nodes', total('rankd_node_duration_seconds_count') > 0, "
          "total('rankd_node_rows_total') > 0, total('rankd_node_queue_delay_seconds_count') > 0)\n"
          "print('busy', total('rankd_worker_busy_seconds_total') > 0)\n"
          "END\n"));
  EXPECT_THAT(result.out, HasSubstr("differ []\n")) << result.err;
  EXPECT_THAT(result.out, HasSubstr("received 71.0 71.0\n"));
  EXPECT_THAT(result.out, HasSubstr("nodes True True True\n"));
  EXPECT_THAT(result.out, HasSubstr("busy True\n"));
}

TEST(ObservationTest, S41_SpansReachACollectorAlsoWhenItIsBusyAtFirst) {
  const Root root;
  const ShellResult result = root.run(
      "/usr/bin/python3 '" MILLRACE_SOURCE_DIR
      "/tests/e2e/collector.py' port spans 503 & COLLECTOR=$!\n"
      "until [ -s port ]; do kill -0 $COLLECTOR || break; done\n" +
      with_watched_server(
          "T=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7\n"
          "curl -s http://$A/v1/rank/mixed_pipeline -H \"traceparent: $T-01\" -d "
          "'{\"user_id\":1}' -o o\n"
          "curl -s http://$A/v1/rank/mixed_pipeline -H \"traceparent: $T-00\" -d "
          "'{\"user_id\":1}' -o o\n"
          "curl -s http://$A/v1/rank/mixed_pipeline -d '{\"user_id\":1}' -o o\n"
          "until curl -s http://$A/metrics | grep -q 'otlp_spans_total{outcome=\"sent\"} [1-9]'; "
          "do "
          "kill -0 $PID || break; done\n",
          "",
          "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:$(cat port) OTEL_SERVICE_NAME=shop") +
      "kill $COLLECTOR\n");
  const std::string spans = root.read("spans");
  EXPECT_THAT(spans, Not(HasSubstr("BAD")));
  EXPECT_EQ(count_of("\"kind\":2", spans), 1U) << "one request was traced by its caller: " << spans;
  EXPECT_THAT(spans, HasSubstr("\"traceId\":\"4bf92f3577b34da6a3ce929d0e0e4736\""));
  EXPECT_THAT(spans, HasSubstr("\"name\":\"run mixed_pipeline\""));
  EXPECT_THAT(spans, HasSubstr("rank.node.op"));
  EXPECT_GE(count_of("\"kind\":3", spans), 1U) << "store calls are spans, too: " << spans;
  EXPECT_THAT(result.out, HasSubstr("exit 0"));
}

TEST(ObservationTest, S41_ACollectorThatIsDeadDelaysNobody) {
  const ShellResult result = Root().run(
      with_watched_server("curl -s -o o -w '%{http_code}\\n' "
                          "\"http://$A/v1/rank/mixed_pipeline?user_id=[1-40]\" >codes\n"
                          "grep -c 200 codes\n",
                          "--set trace.endpoint=http://127.0.0.1:1 --set trace.root_share=1"));
  EXPECT_THAT(result.out, HasSubstr("40\n"));
  EXPECT_THAT(result.out, HasSubstr("exit 0"));
}

TEST(ObservationTest, S43_ASlowRequestBecomesAFileThatTheTraceCommandDraws) {
  const Root root;
  root.write("slow.plan.json",
             R"({"schema_version":1,"name":"slow","nodes":[)"
             R"({"id":"src","op":"fixed_source","inputs":[],"params":{"row_count":2}},)"
             R"({"id":"wait","op":"sleep","inputs":["src"],"params":{"duration_ms":30}}],)"
             R"("outputs":["wait"],"output_keys":["id"]})");
  const ShellResult result = root.run(with_watched_server(
      "curl -s http://$A/v1/rank/slow -d '{\"user_id\":1,\"request_id\":\"../../../etc/passwd\"}' "
      "-o o\n"
      "until curl -s http://$A/metrics | grep -q '^rankd_slow_captures_total 1'; do kill -0 $PID "
      "|| "
      "break; done\n"
      "ls slow | wc -l; ls slow\n"
      "engine/bin/rankd trace slow/slow-*.json\n",
      "--plan slow.plan.json --set log.slow_ms=10 --set log.slow_trace=all --set "
      "log.slow_dir=slow"));
  EXPECT_THAT(result.out, HasSubstr("1\nslow-")) << result.err << root.read("log");
  EXPECT_THAT(result.out, HasSubstr("wait"));
  EXPECT_THAT(root.read("log"), HasSubstr("\"event\":\"slow_request\""));
}

TEST(ObservationTest, S44_TopShowsAServerOnce) {
  const ShellResult result =
      Root().run(with_watched_server("(i=0; while [ $i -lt 60 ]; do curl -s "
                                     "\"http://$A/v1/rank/mixed_pipeline?user_id=[1-20]\" -o "
                                     "o2; i=$((i+1)); done) & L=$!\n"
                                     "engine/bin/rankd top $A --once --interval 0.3 --format json\n"
                                     "engine/bin/rankd top $A --once --interval 0.3\n"
                                     "kill $L; wait $L\n"));
  EXPECT_THAT(result.out, HasSubstr("\"plan\":\"mixed_pipeline\",\"answers_per_second\":"));
  EXPECT_THAT(result.out, HasSubstr("ANSWERS/S"));
  EXPECT_THAT(result.out, HasSubstr("LOOP    CONNECTIONS"));
}

}  // namespace
}  // namespace millrace::e2e
