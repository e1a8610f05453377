#include "observe/request_log.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log/log_sink.h"

namespace millrace::observe {
namespace {

using ::testing::HasSubstr;

std::size_t lines_of(std::string_view rule, int good, int bad) {
  base::MemoryLogSink sink;
  base::Logger log(sink);
  RequestLog requests(&log, *parse_request_log_rule(rule));
  for (int index = 0; index < good; ++index) requests.write({.status = 200});
  for (int index = 0; index < bad; ++index) requests.write({.status = 500});
  return sink.lines().size();
}

TEST(RequestLogTest, S42_TheRuleDecidesWhichRequestsGetALine) {
  EXPECT_EQ(lines_of("all", 10, 5), 15U);
  EXPECT_EQ(lines_of("errors", 10, 5), 5U);
  EXPECT_EQ(lines_of("off", 10, 5), 0U);
  EXPECT_EQ(lines_of("1/5", 10, 0), 2U);
  EXPECT_EQ(lines_of("1/5", 10, 5), 7U);
  for (const char* bad : {"", "some", "1/0", "1/x", "2/3", "1/-1"})
    EXPECT_FALSE(parse_request_log_rule(bad)) << bad;
}

TEST(RequestLogTest, S42_ALineSaysAllThatIsKnown) {
  base::MemoryLogSink sink;
  base::Logger log(sink);
  RequestLog(&log, {}).write({.request_id = "r\n1",
                              .route = "/v1/rank/{plan}",
                              .plan = "p",
                              .status = 504,
                              .outcome = "deadline",
                              .error_code = "deadline_exceeded",
                              .took = std::chrono::milliseconds(7),
                              .rows = 3});
  ASSERT_EQ(sink.lines().size(), 1U);
  const std::string line = sink.lines()[0];
  EXPECT_THAT(line, HasSubstr(R"("event":"request")"));
  EXPECT_THAT(line, HasSubstr(R"("request_id":"r\n1")"));
  EXPECT_THAT(line,
              HasSubstr(R"("status":504,"outcome":"deadline","error_code":"deadline_exceeded")"));
  EXPECT_THAT(line, HasSubstr(R"("took_ms":7)"));
}

}  // namespace
}  // namespace millrace::observe
