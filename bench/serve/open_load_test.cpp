#include "bench/serve/open_load.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench/serve/client_socket.h"
#include "bench/serve/closed_load.h"
#include "bench/serve/echo_server.h"
#include "bench/serve/served.h"

namespace millrace::bench {
namespace {

TEST(OpenLoadTest, AsksWhenItIsDueAndWaitsForEveryReply) {
  const std::unique_ptr<Served> echo = start_echo_server();
  const std::string request = make_request("/", "{}");
  const auto answers =
      make_open_load({.port = echo->port(),
                      .rate = 2000,
                      .seconds = 0.2,
                      .request = [&](double) -> const std::string& { return request; },
                      .connections_max = 2});
  ASSERT_TRUE(answers) << answers.error().to_string();
  EXPECT_GT(answers->size(), 200U);
  EXPECT_LT(answers->size(), 800U);
  double last = 0;
  for (const Answered& answered : *answers) {
    EXPECT_EQ(answered.status, 200);
    EXPECT_GE(answered.took_ms, 0);
    EXPECT_GE(answered.due_s, last);
    last = answered.due_s;
  }
}

TEST(OpenLoadTest, SummarizesATime) {
  std::vector<Answered> answers;
  for (int i = 0; i < 200; ++i)
    answers.push_back({.due_s = i * 0.01, .took_ms = i * 1.0, .status = 200});
  answers.push_back({.due_s = 1.5, .status = 503});
  answers.push_back({.due_s = 1.5, .status = 0});
  answers.push_back({.due_s = 0.5, .status = 500});
  const LoadSummary summary = summarize(answers, 1, 2);
  EXPECT_DOUBLE_EQ(summary.goodput, 100);
  EXPECT_DOUBLE_EQ(summary.p50_ms, 149);
  EXPECT_DOUBLE_EQ(summary.p99_ms, 198);
  EXPECT_EQ(summary.refused_count, 1U);
  EXPECT_EQ(summary.failed_count, 1U);
}

TEST(ClosedLoadTest, FailsForAnotherStatus) {
  const std::unique_ptr<Served> echo = start_echo_server();
  auto load = ClosedLoad::connect(
      {.port = echo->port(), .connections = 4, .request = make_request("/", "{}"), .status = 503});
  ASSERT_TRUE(load);
  const base::Status done = load->run(10);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().to_string().find("another reply than expected: 200"), std::string::npos);
}

TEST(ClosedLoadTest, SaysThatNobodyListens) {
  EXPECT_FALSE(ClosedLoad::connect({.port = 1, .connections = 1, .request = "x"}));
}

}  // namespace
}  // namespace millrace::bench
