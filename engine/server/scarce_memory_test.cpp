// S52: what happens when a large allocation fails outside of answers: nothing crashes, others
// notice nothing, and it is counted. A program of its own, because it decides about every
// allocation of the process.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scarce_memory_fixture.h"
#include "net/fake_listener.h"
#include "net/http/http_server.h"
#include "server/front_fixture.h"
#include "server/generations/reload_fixture.h"

namespace millrace::server::testing {
namespace {

using base::testing::ScarceMemory;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::size_t kLarge = 32U << 10;

std::string post(const std::string& target, const std::string& body) {
  return "POST " + target +
         " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

/// A front behind connections on fake streams.
class ServingRig final : private net::Acceptor {
 public:
  ServingRig() : http({.loop = rig.rank.loop, .wall_clock = rig.rank.wall_clock}) {
    rig.rank.load(small_plan());
  }

  /// Sends bytes in pieces and gives what comes back until nothing happens any more. Large
  /// allocations fail after so many.
  std::string ask(const std::string& bytes, std::int64_t skips = INT64_MAX) {
    net::FakePeer& client = listener.connect();
    rig.rank.loop.run_ready();
    client.deliver_split(bytes, 4096);
    {
      const ScarceMemory scarce(kLarge, skips);
      while (rig.rank.step()) {
      }
      attempts = static_cast<std::int64_t>(scarce.attempts());
      failures = scarce.failures();
    }
    return client.take_received();
  }

  FrontRig rig;
  net::HttpServer http;
  net::FakeListener listener{rig.rank.loop, *this};
  std::int64_t attempts = 0;
  std::uint64_t failures = 0;

 private:
  void on_incoming(std::unique_ptr<net::Incoming> incoming) override {
    http.take(std::move(incoming), rig.front().handler(ListenerKind::kMain));
  }
  void on_accept_paused(const base::Error& /*reason*/) override {}
  void on_listener_closed() override {}
};

/// A reply in chunks without its end.
MATCHER(IsCutOff, "is cut off") {
  return arg.find("chunked") != std::string::npos && !arg.ends_with("\r\n0\r\n\r\n");
}

/// Asks with the first large allocation failing, then the second and so on, up to the last ones,
/// which are those of the fake client. Every such answer is 503, has the text `bad` or is cut off.
/// Gives how many failed.
std::int64_t fail_each(ServingRig& serving,
                       const std::string& request,
                       const std::string& bad,
                       std::int64_t of_client) {
  EXPECT_THAT(serving.ask(request), StartsWith("HTTP/1.1 200 "));
  const std::int64_t count = serving.attempts - of_client;
  for (std::int64_t skips = 0; skips < count; ++skips) {
    const std::string answer = serving.ask(request, skips);
    if (serving.failures == 0) return skips;  // some room is kept from request to request
    EXPECT_THAT(answer, AnyOf(StartsWith("HTTP/1.1 503 "), HasSubstr(bad), IsCutOff())) << skips;
    EXPECT_THAT(serving.ask(post("/v1/rank/p", R"({"user_id":1})")), StartsWith("HTTP/1.1 200 "));
    EXPECT_EQ(serving.rig.front().open_count(), 0U);
  }
  return count;
}

TEST(ScarceMemoryTest, S52_ABodyThatFindsNoRoomIsRefused) {
  ServingRig serving;
  const std::string body = R"({"user_id":1,"request_id":"x")" + std::string(200'000, ' ') + "}";
  EXPECT_GE(fail_each(serving, post("/v1/rank/p", body), "limit_reached", 0), 3);
  EXPECT_THAT(serving.rig.ask("GET", "/metrics").reply_body,
              HasSubstr(R"(rankd_http_requests_total{route="/v1/rank/{plan}",code="503"})"));
}

TEST(ScarceMemoryTest, S52_ALineOfABatchThatFindsNoRoomEndsTheBatch) {
  ServingRig serving;
  const std::string line = R"({"user_id":1)" + std::string(100'000, ' ') + "}\n";
  const std::string request = post("/v1/rank/p/batch", line + line);
  EXPECT_GE(fail_each(serving, request, "limit_reached", 0), 2);
}

TEST(ScarceMemoryTest, S52_APageThatFindsNoRoomIsAnError) {
  ServingRig serving;
  for (int plan = 0; plan < 300; ++plan)
    (void)serving.rig.front().metrics().ledger().plan("plan_" + std::to_string(plan));
  EXPECT_GE(fail_each(serving, "GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n", "limit_reached", 2), 2);
  EXPECT_THAT(serving.rig.ask("GET", "/metrics").reply_body,
              HasSubstr(R"(rankd_http_requests_total{route="/metrics",code="500"})"));
}

TEST(ScarceMemoryTest, S52_APlanThatFindsNoRoomIsStaleAndTriedAgain) {
  ReloadRig rig;
  ASSERT_TRUE(rig.start());
  std::string large = rows_plan("a", 2);
  large.insert(1, std::string(100'000, ' '));
  rig.put("a", large);
  int failures = 0;
  for (;; ++failures) {
    ASSERT_LT(failures, 100);
    ReloadReport report;
    std::uint64_t failed = 0;
    {
      const ScarceMemory scarce(kLarge, failures);
      report = rig.reloader->reload();
      failed = scarce.failures();
    }
    if (failed == 0) break;
    ASSERT_EQ(report.problems.size(), 1U);
    EXPECT_THAT(report.problems[0], HasSubstr("not enough memory"));
    EXPECT_TRUE(rig.reloader->stale().contains("a"));
    EXPECT_TRUE(rig.reloader->wants_retry());
    EXPECT_EQ(rig.rows("a"), 1);
  }
  EXPECT_GE(failures, 2);
  EXPECT_THAT(rig.reloader->stale(), IsEmpty());
  EXPECT_EQ(rig.rows("a"), 2);
}

}  // namespace
}  // namespace millrace::server::testing
