// S52: what happens when a large allocation fails outside of answers: nothing crashes, others
// notice nothing, and it is counted. A program of its own, because it decides about every
// allocation of the process.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scarce_memory_fixture.h"
#include "server/connected_front_fixture.h"
#include "server/generations/reload_fixture.h"

namespace millrace::server::testing {
namespace {

using base::testing::ScarceMemory;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::size_t kLarge = 32U << 10;

struct ServingRig : ConnectedFront {
  /// Asks while large allocations fail after so many.
  std::string ask(const std::string& bytes, std::int64_t skips = INT64_MAX) {
    const ScarceMemory scarce(kLarge, skips);
    std::string answer = ConnectedFront::ask(bytes);
    attempts = static_cast<std::int64_t>(scarce.attempts());
    failures = scarce.failures();
    return answer;
  }
  std::int64_t attempts = 0;
  std::uint64_t failures = 0;
};

/// A reply in chunks without its end.
MATCHER(IsCutOff, "is cut off") {
  return arg.find("chunked") != std::string::npos && !arg.ends_with("\r\n0\r\n\r\n");
}

/// Each answer was counted once, with the status that the client got, on the route that it asked.
void expect_counted_as_answered(ServingRig& serving) {
  const std::map<std::string, int> answered = serving.seen;
  std::map<std::string, int> by_code;
  for (const auto& [place, count] : serving.counted()) {
    EXPECT_NE(place.first, "none") << place.second;
    by_code[place.second] += count;
  }
  EXPECT_EQ(by_code, answered);
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
  EXPECT_THAT(serving.metrics(),
              HasSubstr(R"(rankd_http_requests_total{route="/v1/rank/{plan}",code="503"})"));
  expect_counted_as_answered(serving);
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
  EXPECT_THAT(serving.metrics(),
              HasSubstr(R"(rankd_http_requests_total{route="/metrics",code="500"})"));
  EXPECT_GT((serving.counted()[{"/metrics", "503"}]), 0) << "no answer found no memory";
  expect_counted_as_answered(serving);
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
