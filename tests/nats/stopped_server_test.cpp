// A NATS server that reads no more while many replies are on their way to it, with and without TLS.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "child.h"
#include "nats/client.h"
#include "nats_server.h"
#include "shell.h"

namespace millrace::e2e {
namespace {

using live::NatsServer;
using ::testing::HasSubstr;

// Their answers are more than the buffers of both sockets hold.
constexpr int kRequests = 300;
constexpr base::Duration kLong = std::chrono::seconds(60);

/// Answers after two seconds, with some ten thousands of bytes.
constexpr const char* kWidePlan =
    R"({"schema_version":1,"name":"wide","nodes":[)"
    R"({"id":"src","op":"fixed_source","inputs":[],"params":{"row_count":2000}},)"
    R"({"id":"wait","op":"sleep","inputs":["src"],"params":{"duration_ms":2000}}],)"
    R"("outputs":["wait"],"output_keys":["id"]})";

class NatsStoppedServerTest : public ::testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<live::Child> serve() {
    std::vector<std::string> words{"engine/bin/rankd", "serve", "--root", ".", "--port", "0"};
    for (const char* const setting : {"drain.notice=0",
                                      "overload.inflight_max=1000",
                                      "overload.limit_start=1000",
                                      "log.requests=off",
                                      "plans.warmup_required=false"})
      words.insert(words.end(), {"--set", setting});
    words.insert(words.end(), {"--plan_dir", "p", "--nats", server.url()});
    if (GetParam()) words.insert(words.end(), {"--set", "nats.tls_ca=" + server.file("ca.pem")});
    return std::make_unique<live::Child>(root.path(), words, "serve.log");
  }
  /// What a shell prints where `metric NAME` gives a value and `A` is the address of HTTP.
  std::string shell(const std::string& commands) const {
    return root
        .run(
            "A=$(sed -n 's/.*\"address\":\"\\([^\"]*\\)\".*/\\1/p' serve.log | head -1)\n"
            "metric() { curl -s -m 30 http://$A/metrics | grep \"^$1\" | sed 's/.* //'; }\n" +
            commands)
        .out;
  }
  bool await(const std::string& metric, const std::string& value, live::Child& process) const {
    while (shell("metric '" + metric + "'\n") != value + "\n") {
      if (process.wait(std::chrono::milliseconds(50))) return false;
    }
    return true;
  }

  NatsServer server{{.tls = GetParam()}};
  const Root root;
};

TEST_P(NatsStoppedServerTest, NAT4_NAT6_NAT7_AServerThatReadsNoMoreHoldsNothingUp) {
  root.write("p/wide.plan.json", kWidePlan);
  // Its warm-up fails at once, instead of taking sixteen times as long as one request.
  root.write("p/wide.warmup.jsonl", "no request\n");
  root.write("p/small.plan.json",
             R"({"schema_version":1,"name":"small","nodes":[{"id":"src","op":"fixed_source",)"
             R"("inputs":[],"params":{"row_count":1}}],"outputs":["src"],"output_keys":["id"]})");
  const auto process = serve();
  ASSERT_TRUE(await("rankd_nats_joined", "2.0", *process)) << root.read("serve.log");
  const auto client = nats::Client::connect(
      {.urls = {server.url()}, .tls_ca_file = GetParam() ? server.file("ca.pem") : ""});
  ASSERT_TRUE(client) << client.error().message();
  for (int i = 0; i < kRequests; ++i)
    (*client)->box().ask({.subject = "rank.wide", .data = R"({"user_id":1,"limit":2000})"},
                         kLong,
                         [](const base::Result<nats::Message>&) {});
  ASSERT_TRUE(await("rankd_nats_received_total", std::to_string(kRequests), *process));
  server.pause();
  // All answers are made, and HTTP is asked meanwhile.
  const std::string asked = shell(
      "ask() { curl -s -m 30 -o o -w \"$1%{http_code}\\n\" http://$A/v1/rank/small -d "
      "'{\"user_id\":1}'; }\n"
      "answers() { curl -s -m 30 http://$A/metrics | awk '/^rankd_nats_answers_total/ {sum += $2} "
      "END {print sum}'; }\n"
      "i=0; until [ \"$(answers)\" = " +
      std::to_string(kRequests) +
      " ] || [ $i = 1000 ]; do ask | grep -v ^200; i=$((i + 1)); done; ask 'last '\n"
      "echo \"answers $(answers)\"\n");
  EXPECT_THAT(asked, HasSubstr("answers " + std::to_string(kRequests) + "\n"));
  EXPECT_THAT(asked, HasSubstr("last 200\n"));
  EXPECT_THAT(asked, ::testing::Not(HasSubstr("000"))) << "HTTP waited";
  process->signal(SIGTERM);
  EXPECT_EQ(process->wait(kLong), 0) << root.read("serve.log");
  server.resume();
}

INSTANTIATE_TEST_SUITE_P(Links, NatsStoppedServerTest, ::testing::Bool(), [](const auto& info) {
  return info.param ? "Tls" : "Plain";
});

}  // namespace
}  // namespace millrace::e2e
