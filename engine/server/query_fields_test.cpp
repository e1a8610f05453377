#include "server/query_fields.h"

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::server {
namespace {

constexpr std::array<QueryField, 7> kKnown{{{"user_id", "integer", "", true},
                                            {"limit", "integer", ""},
                                            {"deadline_ms", "number", ""},
                                            {"seed", "integer", ""},
                                            {"priority", "string", ""},
                                            {"explain", "string", ""},
                                            {"trace", "boolean", ""}}};

TEST(QueryFieldsTest, WritesTheRequestThatAQueryStandsFor) {
  const auto query = QueryFields::read(
      "user_id=7&limit=3&deadline_ms=2.5&seed=18446744073709551615&priority=low&explain=1,2&trace="
      "1",
      kKnown);
  ASSERT_TRUE(query.has_value());
  std::string request;
  ASSERT_TRUE(write_request(*query, request).has_value());
  EXPECT_EQ(request,
            R"({"user_id":7,"limit":3,"deadline_ms":2.5,"seed":18446744073709551615,)"
            R"("priority":"low","explain":{"ids":[1,2]},"trace":true})");
}

TEST(QueryFieldsTest, S12_RefusesWhatItDoesNotKnowTwiceOrCannotDecode) {
  EXPECT_EQ(QueryFields::read("userid=7", kKnown).error().code, "unknown_field");
  EXPECT_EQ(QueryFields::read("limit=1&limit=1", kKnown).error().code, "bad_value");
  EXPECT_EQ(QueryFields::read("limit=%4", kKnown).error().code, "bad_value");
  EXPECT_TRUE(QueryFields::read("", kKnown).has_value());
  EXPECT_TRUE(QueryFields::read("&&limit=1&", kKnown).has_value());
}

TEST(QueryFieldsTest, ValuesMustHaveTheirType) {
  for (const char* bad : {"user_id=",
                          "user_id=1.5",
                          "user_id=1e3",
                          "limit=x",
                          "seed=-1",
                          "explain=",
                          "explain=1,",
                          "trace=maybe",
                          "user_id=+1"}) {
    const auto query = QueryFields::read(bad, kKnown);
    ASSERT_TRUE(query.has_value()) << bad;
    std::string request;
    EXPECT_FALSE(write_request(*query, request).has_value()) << bad;
  }
}

}  // namespace
}  // namespace millrace::server
