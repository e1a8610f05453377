#include "server/call_headers.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace millrace::server {
namespace {

TEST(CallHeadersTest, S17_AnIdIsOneToAHundredTwentyEightVisibleCharacters) {
  const auto id_of = [](std::string_view value) {
    net::HttpFields fields;
    fields.add("x-request-id", value);
    return find_request_id(fields).has_value();
  };
  EXPECT_TRUE(id_of("a-1"));
  EXPECT_TRUE(id_of(std::string(128, 'x')));
  for (const std::string& bad : {std::string(),
                                 std::string(129, 'x'),
                                 std::string("a b"),
                                 std::string("\xc3\xa4"),
                                 std::string("a\x7f")})
    EXPECT_FALSE(id_of(bad)) << bad;
}

TEST(CallHeadersTest, S18_TheLeastOfBothHeadersCounts) {
  net::HttpFields fields;
  EXPECT_EQ(find_time_limit(fields)->has_value(), false);
  fields.add("X-Deadline-Ms", "30");
  fields.add("X-Envoy-Expected-Rq-Timeout-Ms", "12.5");
  EXPECT_EQ(**find_time_limit(fields), std::chrono::microseconds(12500));
}

TEST(CallHeadersTest, S13_LinesOfJsonAreForBatchesOnly) {
  net::HttpFields fields;
  fields.add("Content-Type", "application/x-ndjson");
  EXPECT_TRUE(check_body_type(fields, true).has_value());
  EXPECT_EQ(check_body_type(fields, false).error().code, "unsupported_media_type");
}

}  // namespace
}  // namespace millrace::server
