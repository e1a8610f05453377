#include "server/batch_exchange.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "net/fake_connector.h"
#include "observe/otlp_exporter.h"
#include "server/front_fixture.h"

namespace millrace::server::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string repeated(int count, const std::string& line) {
  std::string text;
  for (int index = 0; index < count; ++index) text += line + "\n";
  return text;
}

TEST(BatchExchangeTest, S21_EveryLineHasItsAnswerInTheOrderOfTheInput) {
  FrontRig rig;
  rig.rank.load(small_plan());
  rig.rank.load(slow_plan());
  auto& answer = rig.ask("POST",
                         "/v1/batch",
                         "{\"user_id\":1,\"plan\":\"slow\"}\n\n{\n{\"user_id\":2,\"plan\":\"p\"}");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(field(answer, "Content-Type"), "application/x-ndjson");
  const auto lines = lines_of(answer.reply_body);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[0], StartsWith(R"({"line":0,"status":200,)"));
  EXPECT_THAT(lines[1],
              StartsWith(R"({"line":2,"status":400,"type":"urn:millrace:error:bad_json")"));
  EXPECT_THAT(lines[2], StartsWith(R"({"line":3,"status":200,)"));
  for (const std::string& line : lines) EXPECT_TRUE(base::read_json(line).has_value()) << line;
}

TEST(BatchExchangeTest, S21_OrDone_AnswersComeAsTheyEnd) {
  FrontRig rig;
  rig.rank.load(small_plan());
  rig.rank.load(slow_plan());
  auto& answer = rig.ask("POST",
                         "/v1/batch?order=done",
                         "{\"user_id\":1,\"plan\":\"slow\"}\n{\"user_id\":2,\"plan\":\"p\"}\n");
  const auto lines = lines_of(answer.reply_body);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], StartsWith(R"({"line":1,)"));
  EXPECT_THAT(lines[1], StartsWith(R"({"line":0,)"));
  EXPECT_EQ(rig.ask("POST", "/v1/batch?order=x", "").status, 422);
}

TEST(BatchExchangeTest, S21_LinesAreAnsweredWhileTheBodyStillComes) {
  FrontRig rig;
  rig.rank.load(small_plan());
  net::FakeHttpExchange exchange("POST", "/v1/rank/p/batch");
  rig.front().handler(ListenerKind::kMain).on_request(exchange);
  ASSERT_TRUE(exchange.wish.in_pieces);
  exchange.receiver->on_body_piece("{\"user_id\":1}\n{\"user");
  rig.rank.drain();
  EXPECT_EQ(lines_of(exchange.reply_body).size(), 1U);
  EXPECT_FALSE(exchange.is_complete);
  exchange.receiver->on_body_piece("_id\":2}");
  exchange.receiver->on_body_end({});
  rig.rank.drain();
  EXPECT_TRUE(exchange.is_complete);
  EXPECT_EQ(lines_of(exchange.reply_body).size(), 2U);
  EXPECT_EQ(rig.front().open_count(), 0U);
}

TEST(BatchExchangeTest, S41_ABatchOfATracingCallerIsExportedWithItsLines) {
  FrontRig rig;
  rig.rank.load(slow_plan());
  net::FakeConnector connector(rig.rank.loop);
  base::SplitMix64 random(1);
  observe::OtlpExporter exporter(rig.rank.loop, connector, random, {});
  rig.otlp = &exporter;
  const std::string sampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const auto& answer = rig.ask("POST",
                               "/v1/rank/slow/batch",
                               "{\"user_id\":1}\n{bad\n{\"user_id\":2}\n",
                               {{"traceparent", sampled}});
  EXPECT_THAT(answer.reply_body, HasSubstr("\"line\":2,\"status\":200"));
  (void)rig.ask("POST", "/v1/rank/slow/batch", "{\"user_id\":1}\n");
  bool is_flushed = false;
  exporter.flush([&] { is_flushed = true; });
  rig.rank.loop.run_ready();
  ASSERT_EQ(connector.peer_count(), 1U);
  const std::string post = connector.peer(0).received();
  const auto count_of = [&](std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = post.find(part); at != std::string::npos; at = post.find(part, at + 1))
      ++count;
    return count;
  };
  EXPECT_EQ(count_of(R"("name":"POST /v1/rank/{plan}/batch")"), 1U) << post;
  EXPECT_EQ(count_of(R"("parentSpanId":"00f067aa0ba902b7")"), 1U);
  EXPECT_EQ(count_of(R"("name":"batch line")"), 3U);
  EXPECT_EQ(count_of(R"("key":"rank.batch.line","value":{"intValue":"2"})"), 1U);
  EXPECT_EQ(count_of(R"("key":"error.type","value":{"stringValue":"bad_json"})"), 1U);
  EXPECT_THAT(rig.sink.lines().front(),
              HasSubstr(R"("trace_id":"4bf92f3577b34da6a3ce929d0e0e4736")"));
  connector.peer(0).deliver("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
  rig.rank.loop.run_ready();
  EXPECT_TRUE(is_flushed);
}

TEST(BatchExchangeTest, S22_SixteenLinesRunAtOnceAndRefusedOnesWait) {
  FrontRig rig({}, {.inflight_max = 20});
  rig.rank.load(slow_plan());
  auto& batch = rig.start("POST", "/v1/rank/slow/batch", repeated(40, R"({"user_id":1})"));
  rig.rank.loop.run_ready();
  EXPECT_EQ(rig.admission->stats().run_count, 16);
  auto& other = rig.start("POST", "/v1/rank/slow/batch", repeated(10, R"({"user_id":1})"));
  rig.rank.loop.run_ready();
  EXPECT_EQ(rig.admission->stats().run_count, 20);
  const auto metrics = [&] { return rig.ask("GET", "/metrics").reply_body; };
  EXPECT_THAT(metrics(), HasSubstr("rankd_plan_inflight{plan=\"slow\"} 20.0\n"));
  while (!batch.is_complete || !other.is_complete) ASSERT_TRUE(rig.rank.step());
  EXPECT_EQ(lines_of(batch.reply_body).size(), 40U);
  EXPECT_EQ(lines_of(other.reply_body).size(), 10U);
  for (const auto& line : lines_of(other.reply_body))
    EXPECT_THAT(line, HasSubstr("\"status\":200"));
  EXPECT_THAT(metrics(), HasSubstr("rankd_plan_inflight{plan=\"slow\"} 0.0\n"));
}

TEST(BatchExchangeTest, S21_ABadLineSaysItsStatusOnce) {
  FrontRig rig;
  rig.rank.load(small_plan());
  auto& batch = rig.ask("POST", "/v1/rank/p/batch", "{\"user_id\":1,\"x\":2}\n");
  const std::string line = lines_of(batch.reply_body).front();
  EXPECT_THAT(line,
              StartsWith(R"({"line":0,"status":422,"type":"urn:millrace:error:unknown_field",)"
                         R"("title":"The request has a field that is not known","detail":")"));
  EXPECT_EQ(line.find("\"status\""), line.rfind("\"status\"")) << line;
}

TEST(BatchExchangeTest, S22_NoLineStartsWhileTooMuchIsUnsent) {
  FrontRig rig({.batch_unsent_bytes_max = 100});
  rig.rank.load(small_plan());
  net::FakeHttpExchange exchange("POST", "/v1/rank/p/batch");
  rig.front().handler(ListenerKind::kMain).on_request(exchange);
  exchange.waiting_bytes = 100;
  exchange.receiver->on_body_piece(repeated(1000, R"({"user_id":1})"));
  exchange.receiver->on_body_end({});
  rig.rank.drain();
  EXPECT_EQ(exchange.reply_body, "");
  exchange.waiting_bytes = 0;
  exchange.receiver->on_drained();
  rig.rank.drain();
  EXPECT_TRUE(exchange.is_complete);
  EXPECT_EQ(lines_of(exchange.reply_body).size(), 1000U);
}

TEST(BatchExchangeTest, S22_TheHeaderDeadlineIsTheWholeBatchs) {
  FrontRig rig;
  rig.rank.load(slow_plan());
  // Two rounds of 16 take 40 ms; the third is too late.
  auto& answer = rig.ask(
      "POST", "/v1/rank/slow/batch", repeated(48, R"({"user_id":1})"), {{"X-Deadline-Ms", "50"}});
  const auto lines = lines_of(answer.reply_body);
  ASSERT_EQ(lines.size(), 48U);
  EXPECT_THAT(lines[31], HasSubstr("\"status\":200"));
  EXPECT_THAT(lines[32], HasSubstr("\"status\":504"));
}

TEST(BatchExchangeTest, S23_AClientThatGoesCancelsAllLines) {
  FrontRig rig;
  rig.rank.load(slow_plan());
  auto& batch = rig.start("POST", "/v1/rank/slow/batch", repeated(40, R"({"user_id":1})"));
  rig.rank.loop.run_ready();
  EXPECT_EQ(rig.admission->stats().run_count, 16);
  batch.receiver->on_gone(net::kHttpClientGone);
  rig.rank.drain();
  EXPECT_EQ(rig.front().open_count(), 0U);
  EXPECT_EQ(rig.admission->stats().run_count, 0);
  EXPECT_FALSE(batch.is_complete);
  EXPECT_EQ(rig.admission->stats().accepted, 16U);
}

TEST(BatchExchangeTest, S23_OnlyACompleteBatchEndsItsChunks) {
  FrontRig rig({.batch_lines_max = 3});
  rig.rank.load(small_plan());
  auto& early = rig.ask("POST", "/v1/rank/p/batch", repeated(4, R"({"user_id":1})"));
  EXPECT_EQ(early.status, 413);
  net::FakeHttpExchange late("POST", "/v1/rank/p/batch");
  rig.front().handler(ListenerKind::kMain).on_request(late);
  late.receiver->on_body_piece(repeated(3, R"({"user_id":1})"));
  rig.rank.drain();
  EXPECT_EQ(late.status, 200);
  late.receiver->on_body_piece(repeated(1, R"({"user_id":1})"));
  rig.rank.drain();
  EXPECT_TRUE(late.was_aborted);
  EXPECT_EQ(rig.front().open_count(), 0U);
}

TEST(BatchExchangeTest, AnEmptyBatchHasAnEmptyAnswer) {
  FrontRig rig;
  rig.rank.load(small_plan());
  auto& answer = rig.ask("POST", "/v1/batch", "");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.reply_body, "");
}

}  // namespace
}  // namespace millrace::server::testing
