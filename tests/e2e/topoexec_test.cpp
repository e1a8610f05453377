// The program `topoexec` as users call it.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shell.h"

namespace millrace::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(TopoexecTest, G68_TheGuideWorksAsWritten) {
  const Root root;
  for (const std::string& name : {"greenhouse", "alarms", "pool_load", "trending/trending"}) {
    const ShellResult result =
        root.run("engine/bin/topoexec graph validate examples/graphs/" + name + ".yaml");
    EXPECT_EQ(result.exit_code, 0) << result.out;
    EXPECT_THAT(result.out, HasSubstr(": ok, 0 errors, 0 warnings"));
    EXPECT_THAT(result.err, IsEmpty());
  }
  EXPECT_EQ(
      root.run("engine/bin/topoexec graph render examples/graphs/greenhouse.yaml --format svg")
          .exit_code,
      0);
  EXPECT_THAT(
      root.run("engine/bin/topoexec graph plan examples/graphs/alarms.yaml --format json").out,
      StartsWith(R"({"graph":"alarms")"));
}

TEST(TopoexecTest, G68_ExitCodesAreZeroOneAndTwo) {
  const Root root;
  root.write("bad.yaml", "schema_version: 1\ngraph: {name: t, kind: internal_test}\nlanes: {}\n");
  const ShellResult bad = root.run("engine/bin/topoexec graph validate bad.yaml");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.out, HasSubstr("bad.yaml:1:1: error: missing_field"));
  root.write("warns.yaml",
             "schema_version: 1\ngraph: {name: t, kind: internal_test}\n"
             "lanes: {main: {type: event_loop, priority: 1}}\ncomponents: []\nedges: []\n");
  EXPECT_EQ(root.run("engine/bin/topoexec graph lint warns.yaml").exit_code, 0);
  EXPECT_EQ(root.run("engine/bin/topoexec graph lint warns.yaml --strict").exit_code, 1);
  EXPECT_EQ(root.run("engine/bin/topoexec graph fly warns.yaml").exit_code, 2);
  EXPECT_EQ(root.run("engine/bin/topoexec graph validate warns.yaml --max-lanes 0").exit_code, 2);
  const ShellResult help = root.run("engine/bin/topoexec --help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("what is wrong with it, line by line"));
}

TEST(TopoexecTest, OutputThatCannotBeWrittenIsAnError) {
  const Root root;
  for (const std::string& command :
       {"doctor", "--help", "schema dump", "graph plan examples/graphs/alarms.yaml"}) {
    const ShellResult full = root.run("engine/bin/topoexec " + command + " > /dev/full");
    EXPECT_EQ(full.exit_code, 1) << command;
    EXPECT_THAT(full.err, HasSubstr("Standard output cannot be written: No space left on device"));
  }
}

TEST(TopoexecTest, G68_OneFileHasOutputAndSummaryInOrder) {
  const Root root;
  const ShellResult both = root.run(
      "engine/bin/topoexec graph run examples/graphs/greenhouse.yaml --virtual-time --steps 20 "
      "2>&1");
  EXPECT_EQ(both.exit_code, 0) << both.out;
  EXPECT_THAT(both.out, StartsWith("{"));
  EXPECT_LT(both.out.rfind("{"), both.out.find("\ngreenhouse: ok")) << both.out;
}

TEST(TopoexecTest, G67_APageOfARealServerIsPolledThroughAnOutage) {
  const Root root;
  root.write(
      "poll.yaml.in",
      "schema_version: 1\ngraph: {name: poll, kind: internal_test}\n"
      "lanes: {main: {type: event_loop}}\ncomponents:\n"
      "  - {id: page, type: http.poll, event_sources: [{type: timer, period: 20ms}],\n"
      "     config: {url: 'http://127.0.0.1:PORT/page.json', timeout: 10s, changes_only: true},\n"
      "     execution: {lane: main}}\n"
      "  - {id: out, type: core.stdout, trigger_policy: {type: any_input, inputs: [in, status]},\n"
      "     execution: {lane: main}}\n"
      "edges:\n"
      "  - {id: a, kind: immediate, from: page.out, to: out.in}\n"
      "  - {id: b, kind: immediate, from: page.status, to: out.status}\n");
  root.write("page.json", "{\"price\": 3}");
  // Waits for what the graph prints, not for a time.
  const ShellResult result = root.run(
      "python3 -u -m http.server 0 --bind 127.0.0.1 >web.log 2>&1 & WEB=$!\n"
      "until grep -q 'port ' web.log; do kill -0 $WEB || break; done\n"
      "sed \"s/PORT/$(sed -n 's/.* port \\([0-9]*\\) .*/\\1/p' web.log | head -1)/\" poll.yaml.in "
      ">poll.yaml\n"
      "engine/bin/topoexec graph run poll.yaml --format json >lines 2>err & RUN=$!\n"
      "until grep -q '\"price\":3' lines; do kill -0 $RUN || break; done\n"
      "echo '{\"price\": 4}' >page.tmp; mv page.tmp page.json\n"
      "until grep -q '\"price\":4' lines; do kill -0 $RUN || break; done\n"
      "rm page.json\n"
      "until grep -q 'status 404' lines; do kill -0 $RUN || break; done\n"
      "kill $WEB; kill -TERM $RUN; wait $RUN; echo exit $?\ncat lines err\n");
  EXPECT_THAT(result.out, StartsWith("exit 0"));
  EXPECT_THAT(result.out, HasSubstr(R"("value":{"ok":true})"));
  EXPECT_THAT(result.out, HasSubstr(R"("value":{"price":3})"));
  EXPECT_THAT(result.out, HasSubstr(R"("value":{"price":4})"));
  EXPECT_THAT(result.out,
              HasSubstr(R"("value":{"ok":false,"problem":"The server answered with status 404"})"));
}

TEST(TopoexecTest, G67_AGraphRunsPlansOfTheProject) {
  const Root root;
  root.write(
      "rank.yaml",
      "schema_version: 1\ngraph: {name: rank, kind: internal_test}\n"
      "lanes: {main: {type: event_loop}}\ncomponents:\n"
      "  - {id: users, type: core.values, config: {values: [1, 2]}, execution: {lane: main}}\n"
      "  - {id: feed, type: plan, config: {name: mixed_pipeline, deadline: 30s},\n"
      "     trigger_policy: {type: any_input, inputs: [in]}, execution: {lane: main}}\n"
      "  - {id: out, type: core.stdout, event_sources: [{type: task_ready, inputs: [in]}],\n"
      "     execution: {lane: main}}\n"
      "edges:\n"
      "  - {id: a, kind: immediate, from: users.out, to: feed.in, policy: {mode: queue, capacity: "
      "8}}\n"
      "  - {id: b, kind: async, from: feed.out, to: out.in, policy: {mode: queue, capacity: 8}}\n");
  for (const char* const time : {" --virtual-time", ""}) {
    const ShellResult result =
        root.run("engine/bin/topoexec graph run rank.yaml --until-idle" + std::string(time));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(count_of("\"candidates\":[{\"id\":", result.out), 2U) << result.out;
  }
}

TEST(TopoexecTest, G55_ARunIsRecordedAndReplayed) {
  const Root root;
  const std::string program = "engine/bin/topoexec graph ";
  const ShellResult run = root.run(
      program +
      "run examples/graphs/alarms.yaml --virtual-time --duration-ms 900 --record a.record");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(root.run(program + "replay a.record").out, HasSubstr("the same as recorded"));
  const ShellResult cut =
      root.run("head -c 400 a.record > b.record; " + program + "replay b.record");
  EXPECT_EQ(cut.exit_code, 2);
  EXPECT_THAT(cut.err, HasSubstr("line 1, byte 0: The record ends in the middle of a line"));
}

}  // namespace
}  // namespace millrace::e2e
