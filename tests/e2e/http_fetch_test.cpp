// http_fetch against a real web server, as users run it.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shell.h"

namespace millrace::e2e {
namespace {

using ::testing::HasSubstr;

/// Runs a plan of rows 1 to `row_count` whose scores are fetched, and gives its answer.
ShellResult fetch(const Root& root,
                  const std::string& path,
                  int row_count = 3,
                  const std::string& more = "") {
  root.write("web.plan.json",
             R"({"schema_version": 1, "name": "web", "nodes": [
  {"id": "f", "op": "fixed_source", "inputs": [], "params": {"row_count": )" +
                 std::to_string(row_count) + R"(}},
  {"id": "w", "op": "http_fetch", "inputs": ["f"], "params": {"endpoint": "web_default",
   "path": ")" + path +
                 R"(", "field": "/deep/score", "out_key": "score"})" + more + R"(}],
  "outputs": ["w"], "output_keys": ["id", "score"]})");
  return root.run(R"(echo '{"user_id": 1}' | python3 ')" MILLRACE_SOURCE_DIR
                  R"(/tests/e2e/with_web_server.py' web_registry )"
                  "engine/bin/rankd --registry web_registry --plan web.plan.json --plan_name web; "
                  "status=$?; rm -r web_registry; exit $status");
}

void expect_scores(const ShellResult& result) {
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out,
              HasSubstr(R"("candidates":[{"id":1,"fields":{"score":1}},)"
                        R"({"id":2,"fields":{"score":2}},{"id":3,"fields":{"score":3}}])"));
}

TEST(HttpFetchLiveTest, TSK7_FetchesOnePagePerRowInEveryFormOfBody) {
  const Root root;
  expect_scores(fetch(root, "/score/{id}"));
  expect_scores(fetch(root, "/chunked/{id}"));
  expect_scores(fetch(root, "/until-close/{id}"));
}

TEST(HttpFetchLiveTest, TSK7_FetchesOnePageForAllRows) {
  const ShellResult result = fetch(Root(), "/score/7", 2);
  EXPECT_THAT(result.out,
              HasSubstr(R"([{"id":1,"fields":{"score":7}},{"id":2,"fields":{"score":7}}])"));
}

TEST(HttpFetchLiveTest, MoreRowsThanConnectionsAreAnsweredToo) {
  const ShellResult result = fetch(Root(), "/score/{id}", 300);
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr(R"({"id":300,"fields":{"score":300}})"));
}

TEST(HttpFetchLiveTest, AMissingPageIsNull) {
  const ShellResult result = fetch(Root(), "/status/404", 1);
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr(R"([{"id":1,"fields":{"score":null}}])"));
}

TEST(HttpFetchLiveTest, WhatGoesWrongIsAnErrorOfTheNodeThatAFallbackCatches) {
  const Root root;
  for (const char* const path : {"/status/503", "/status/403", "/bad", "/endless", "/stall"}) {
    SCOPED_TRACE(path);
    // Only the timeout of the node ends the wait for a server that sends nothing.
    const std::string limit = path == std::string("/stall") ? R"(, "timeout_ms": 50)" : "";
    const ShellResult failed = fetch(root, path, 1, limit);
    EXPECT_EQ(failed.exit_code, 1) << failed.out << failed.err;
    EXPECT_THAT(failed.out, HasSubstr(R"("node":"w")"));
    const ShellResult caught = fetch(root, path, 1, limit + R"(, "on_failure": {"use": "input"})");
    EXPECT_EQ(caught.exit_code, 0) << caught.out << caught.err;
    EXPECT_THAT(caught.out, HasSubstr(R"("degraded":{"is":true)"));
  }
}

TEST(HttpFetchLiveTest, CLI3_DoctorAsksTheServer) {
  const ShellResult result = Root().run(R"(python3 ')" MILLRACE_SOURCE_DIR
                                        R"(/tests/e2e/with_web_server.py' web_registry )"
                                        "engine/bin/rankd doctor --registry web_registry");
  EXPECT_THAT(result.out, HasSubstr("ok    endpoint web_default: http at 127.0.0.1:"));
}

}  // namespace
}  // namespace millrace::e2e
