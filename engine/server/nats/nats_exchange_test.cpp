#include "server/nats/nats_exchange.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/front_fixture.h"

namespace millrace::server::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Keeps the replies.
struct KeptReplies final : NatsOutbox {
  void on_taken() override { ++taken; }
  void send(NatsReply reply) override { replies.push_back(std::move(reply)); }
  std::size_t reply_bytes_max() const override { return bytes_max; }
  std::vector<NatsReply> replies;
  int taken = 0;
  std::size_t bytes_max = 1 << 20;
};

class NatsExchangeTest : public ::testing::Test {
 protected:
  NatsExchangeTest() {
    rig.rank.load(small_plan());
    rig.rank.load(slow_plan());
  }
  void start(std::string plan, nats::Message message) {
    message.subject = "rank." + plan;
    message.reply = "inbox";
    auto exchange = std::make_unique<NatsExchange>(
        rig.front(), outbox, std::move(message), std::move(plan), rig.rank.clock.now());
    exchange.release()->post_to(rig.rank.loop);
  }
  NatsReply ask(std::string plan, nats::Message message) {
    const std::size_t before = outbox.replies.size();
    start(std::move(plan), std::move(message));
    return reply_after(before);
  }
  /// The reply that follows on so many; an empty one, and a failure, if there is none.
  NatsReply reply_after(std::size_t before) {
    while (outbox.replies.size() == before && rig.rank.step()) {
    }
    EXPECT_EQ(outbox.replies.size(), before + 1)
        << "a message has another number of replies than 1";
    return outbox.replies.size() > before ? outbox.replies.back() : NatsReply{.status = 0};
  }
  /// The code of an error; what the reply is instead if it is none.
  static std::string error_of(const NatsReply& reply) {
    const auto document = base::read_json(reply.message.data);
    if (!document) return "no JSON: " + reply.message.data;
    const auto error = document->root().find_member("error");
    const auto code = error ? error->find_member("code") : std::nullopt;
    const auto text = code ? code->find_string() : std::nullopt;
    return text ? std::string(*text) : "no error: " + reply.message.data;
  }
  FrontRig rig;
  KeptReplies outbox;
};

TEST_F(NatsExchangeTest, NAT2_TheBodyIsThatOfHttpAndTheStatusAHeader) {
  const std::string request = R"({"user_id":1,"limit":3,"request_id":"r"})";
  const NatsReply reply = ask("p", {.data = request});
  EXPECT_EQ(reply.message.subject, "inbox");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.message.find_header("Rank-Status"), "200");
  EXPECT_EQ(reply.message.find_header("X-Request-Id"), "r");
  auto& http = rig.ask("POST", "/v1/rank/p", request);
  EXPECT_THAT(reply.message.data, HasSubstr(R"("candidates":[{"id")"));
  const auto ids = [](const std::string& body) {
    return body.substr(body.find("\"candidates\""), body.find("took_ms") - body.find("\"cand"));
  };
  EXPECT_EQ(ids(reply.message.data), ids(http.reply_body));
  EXPECT_EQ(outbox.taken, 1);
}

TEST_F(NatsExchangeTest, NAT2_ErrorsHaveTheCodesAndBodiesOfHttp) {
  EXPECT_EQ(error_of(ask("p", {})), "bad_json") << "empty";
  EXPECT_EQ(error_of(ask("p", {.data = "{bad}"})), "bad_json");
  EXPECT_EQ(error_of(ask("p", {.data = "{}"})), "missing_field");
  EXPECT_EQ(error_of(ask("nope", {.data = R"({"user_id":1})"})), "unknown_plan");
  const NatsReply reply = ask("p", {.data = R"({"user_id":"x"})"});
  EXPECT_EQ(reply.message.find_header("Rank-Status"), "422");
  EXPECT_EQ(reply.message.find_header("Content-Type"), "application/problem+json");
}

TEST_F(NatsExchangeTest, NAT1_ABodyThatNamesAnotherPlanIsRefused) {
  const NatsReply reply = ask("p", {.data = R"({"user_id":1,"plan":"slow"})"});
  EXPECT_EQ(error_of(reply), "plan_mismatch");
  EXPECT_EQ(reply.status, 422);
  EXPECT_EQ(ask("p", {.data = R"({"user_id":1,"plan":"p"})"}).status, 200);
}

TEST_F(NatsExchangeTest, NAT2_TheDeadlineIsTheLeastAndRunsFromTheArrival) {
  const std::string request = R"({"user_id":1})";
  EXPECT_EQ(ask("slow", {.data = request}).status, 200);
  EXPECT_EQ(ask("slow", {.data = request, .headers = {{"X-Deadline-Ms", "5"}}}).status, 504);
  EXPECT_EQ(ask("slow",
                {.data = R"({"user_id":1,"deadline_ms":5})", .headers = {{"X-Deadline-Ms", "50"}}})
                .status,
            504);
  EXPECT_EQ(error_of(ask("p", {.data = request, .headers = {{"X-Deadline-Ms", "x"}}})),
            "bad_value");
  // It has waited for the loop until its time was over: nothing runs.
  auto late = std::make_unique<NatsExchange>(rig.front(),
                                             outbox,
                                             nats::Message{.subject = "rank.p",
                                                           .reply = "inbox",
                                                           .data = request,
                                                           .headers = {{"X-Deadline-Ms", "5"}}},
                                             "p",
                                             rig.rank.clock.now() - std::chrono::milliseconds(6));
  const std::size_t before = outbox.replies.size();
  late.release()->post_to(rig.rank.loop);
  EXPECT_EQ(reply_after(before).status, 504);
}

TEST_F(NatsExchangeTest, NAT2_IdsAndTracesOfHeadersAreUsed) {
  const NatsReply reply = ask(
      "p",
      {.data = R"({"user_id":1})",
       .headers = {{"X-Request-Id", "from-header"},
                   {"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}});
  EXPECT_THAT(reply.message.data, HasSubstr(R"("request_id":"from-header")"));
  ASSERT_FALSE(rig.sink.lines().empty());
  EXPECT_THAT(rig.sink.lines().back(), HasSubstr("0af7651916cd43dd8448eb211c80319c"));
  EXPECT_THAT(rig.sink.lines().back(), HasSubstr("from-header"));
}

TEST_F(NatsExchangeTest, AnAnswerThatIsTooLargeSaysBothSizes) {
  outbox.bytes_max = 300;
  const NatsReply reply =
      ask("p", {.data = R"({"user_id":1})", .headers = {{"X-Request-Id", "big"}}});
  EXPECT_EQ(error_of(reply), "response_too_large");
  EXPECT_THAT(reply.message.data, HasSubstr("the NATS server takes 300"));
  EXPECT_THAT(reply.message.data, HasSubstr(R"("request_id":"big")"));
  EXPECT_THAT(reply.message.data, Not(HasSubstr("candidates\":[")));
}

TEST_F(NatsExchangeTest, NAT2_ABodyThatIsTooLargeIsRefused) {
  EXPECT_EQ(error_of(ask("p", {.data = std::string((1 << 20) + 1, ' ')})), "too_large");
}

TEST_F(NatsExchangeTest, NAT7_WhatIsGivenUpIsAnsweredOnce) {
  start("slow", {.data = R"({"user_id":1})"});
  while (outbox.taken == 0) ASSERT_TRUE(rig.rank.step()) << "it is not taken";
  rig.front().refuse_all();
  ASSERT_EQ(outbox.replies.size(), 1U);
  EXPECT_EQ(error_of(outbox.replies[0]), "draining");
  rig.rank.drain();
  EXPECT_EQ(outbox.replies.size(), 1U);
  EXPECT_EQ(rig.front().open_count(), 0U);
}

TEST_F(NatsExchangeTest, NAT2_MessagesCountAsRequests) {
  (void)ask("p", {.data = R"({"user_id":1})"});
  const std::string page = rig.ask("GET", "/metrics").reply_body;
  EXPECT_THAT(page, HasSubstr(R"(rankd_requests_total{plan="p",outcome="ok"} 1)"));
  EXPECT_THAT(page, HasSubstr(R"(rankd_http_requests_total{route="nats",code="200"} 1)"));
}

}  // namespace
}  // namespace millrace::server::testing
