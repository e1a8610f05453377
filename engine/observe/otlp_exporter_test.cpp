#include "observe/otlp_exporter.h"

#include <chrono>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "loop/fake_loop.h"
#include "net/fake_connector.h"
#include "observe/otlp_fixture.h"

namespace millrace::observe {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::size_t kSpansOfOne = 6;

class OtlpExporterTest : public ::testing::Test {
 protected:
  OtlpExporterTest() {
    connector.on_receive = [this](net::FakePeer& peer) {
      received += peer.take_received();
      const std::size_t head = received.find("\r\n\r\n");
      const std::size_t field = received.find("Content-Length: ");
      if (head == std::string::npos) return;
      const std::size_t length = std::stoul(received.substr(field + 16));
      if (received.size() < head + 4 + length) return;
      posts.push_back(std::exchange(received, {}));
      const std::string answer = answers.empty() ? ok() : answers.front();
      if (!answers.empty()) answers.erase(answers.begin());
      peer.deliver(answer);
    };
  }
  static std::string reply(const std::string& status,
                           const std::string& fields = "",
                           const std::string& body = "{}") {
    return "HTTP/1.1 " + status + "\r\n" + fields +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  static std::string ok() { return reply("200 OK"); }
  OtlpExporter& make(OtlpOptions options = {}) {
    options.client.address = {.host = "collector", .port = 4318};
    options.resource = {{"service.name", "rankd"}};
    exporter = std::make_unique<OtlpExporter>(loop, connector, random, std::move(options));
    return *exporter;
  }
  void offer(int count) {
    for (int index = 0; index < count; ++index)
      exporter->offer(testing::finished_request(static_cast<std::uint64_t>(++offered_)));
    loop.run_ready();
  }

  base::ManualClock clock;
  loop::FakeLoop loop{clock};
  net::FakeConnector connector{loop};
  base::SplitMix64 random{1};
  std::string received;
  std::vector<std::string> posts;
  std::vector<std::string> answers;
  std::unique_ptr<OtlpExporter> exporter;
  int offered_ = 0;
};

TEST_F(OtlpExporterTest, S41_ABatchLeavesAfterFiveSecondsOrWhenItIsFull) {
  OtlpOptions options;
  options.fields.add("x-key", "secret");
  make(options);
  offer(1);
  loop.advance(milliseconds(4900));
  EXPECT_TRUE(posts.empty());
  loop.advance(milliseconds(200));
  ASSERT_EQ(posts.size(), 1U);
  EXPECT_THAT(posts[0], StartsWith("POST /v1/traces HTTP/1.1\r\n"));
  EXPECT_THAT(posts[0], HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_THAT(posts[0], HasSubstr("x-key: secret\r\n"));
  EXPECT_THAT(posts[0], HasSubstr(R"("traceId":"4bf92f3577b34da6a3ce929d0e0e4736")"));
  EXPECT_EQ(exporter->sent_count(), kSpansOfOne);
  offer(90);
  loop.run_ready();
  ASSERT_EQ(posts.size(), 2U) << "512 spans do not wait";
  EXPECT_EQ(exporter->sent_count(), kSpansOfOne + 86 * kSpansOfOne);
  loop.advance(seconds(6));
  EXPECT_EQ(posts.size(), 3U);
  EXPECT_EQ(exporter->sent_count(), 91 * kSpansOfOne);
}

TEST_F(OtlpExporterTest, S41_BusyCollectorsAreAskedAgainOthersAreNot) {
  make();
  answers = {reply("503 Service Unavailable", "Retry-After: 7\r\n"),
             reply("429 Too Many Requests"),
             reply("502 Bad Gateway"),
             ok()};
  offer(1);
  loop.advance(seconds(5));
  EXPECT_EQ(posts.size(), 1U);
  loop.advance(milliseconds(6900));
  EXPECT_EQ(posts.size(), 1U) << "as the collector has asked";
  loop.advance(seconds(30));
  ASSERT_EQ(posts.size(), 4U);
  EXPECT_EQ(posts[3], posts[0]);
  EXPECT_EQ(exporter->sent_count(), kSpansOfOne);
  answers = {reply("400 Bad Request")};
  offer(1);
  loop.advance(seconds(60));
  EXPECT_EQ(posts.size(), 5U);
  EXPECT_EQ(exporter->failed_count(), kSpansOfOne);
}

TEST_F(OtlpExporterTest, S41_ACollectorThatIsDeadCostsSpansAndNothingElse) {
  make({.queue_spans = 60});
  connector.on_connect = [](net::FakePeer& peer) { peer.refuse(); };
  offer(30);
  EXPECT_EQ(exporter->dropped_count(), 20 * kSpansOfOne) << "the queue holds ten";
  loop.advance(seconds(300));
  EXPECT_EQ(exporter->failed_count(), 10 * kSpansOfOne);
  EXPECT_EQ(exporter->sent_count(), 0U);
  connector.on_connect = nullptr;
  offer(1);
  loop.advance(seconds(300));
  EXPECT_EQ(exporter->sent_count(), kSpansOfOne) << "it comes back";
}

TEST_F(OtlpExporterTest, S41_SpansThatTheCollectorRefusesAreFailures) {
  make();
  answers = {reply("200 OK", "", R"({"partialSuccess":{"rejectedSpans":"2"}})"), ok()};
  offer(1);
  loop.advance(seconds(5));
  EXPECT_EQ(exporter->sent_count(), kSpansOfOne - 2);
  EXPECT_EQ(exporter->failed_count(), 2U);
}

TEST_F(OtlpExporterTest, AFlushSendsAtOnceAndSaysWhenNothingIsLeft) {
  make();
  offer(3);
  bool is_done = false;
  exporter->flush([&] { is_done = true; });
  loop.run_ready();
  loop.advance(milliseconds(1));
  EXPECT_TRUE(is_done);
  EXPECT_EQ(exporter->sent_count(), 3 * kSpansOfOne);
  is_done = false;
  exporter->flush([&] { is_done = true; });
  loop.run_ready();
  EXPECT_TRUE(is_done);
}

}  // namespace
}  // namespace millrace::observe
