#include "rank/request_values.h"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "rank/rank_error.h"
#include "rank/request_fixture.h"

namespace millrace::rank {
namespace {

TEST(RequestValuesTest, REQ4_IdsAreExactAtTheEndsOfInt64) {
  EXPECT_EQ(good_request(R"({"user_id": 9223372036854775807})").user_id,
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(good_request(R"({"user_id": "-9223372036854775808"})").user_id,
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(good_request(R"({"user_id": 9007199254740993})").user_id, 9007199254740993);
  EXPECT_EQ(refused_request(R"({"user_id": 9223372036854775808})").code, RankErrorCode::kBadValue);
  EXPECT_EQ(refused_request(R"({"user_id": "9223372036854775808"})").code,
            RankErrorCode::kBadValue);
  EXPECT_EQ(refused_request(R"({"user_id": "12x"})").code, RankErrorCode::kBadValue);
  EXPECT_EQ(refused_request(R"({"user_id": ""})").code, RankErrorCode::kBadValue);
}

TEST(RequestValuesTest, REQ1_LongTextFromARequestIsCutInMessages) {
  const std::string text(1000, 'x');
  for (const std::string& field : {"\"" + text + "\": 1",
                                   "\"exclude\": [\"" + text + "\"]",
                                   "\"params\": {\"" + text + "\": []}",
                                   "\"candidates\": [{\"id\": 1, \"" + text + "\": []}]",
                                   "\"scheduling\": {\"" + text + "\": 1}"}) {
    EXPECT_LT(refused_request("{\"user_id\": 1, " + field + "}").message.size(), 200U) << field;
  }
}

TEST(RequestValuesTest, REQ1_TheBeginningOfAFieldIsEnoughForASuggestion) {
  EXPECT_EQ(refused_request(R"({"user": 1})").message,
            "A request has no field 'user'; did you mean 'user_id'? (line 1, column 10)");
  EXPECT_EQ(refused_request(R"({"zz": 1})").message,
            "A request has no field 'zz' (line 1, column 8)");
}

TEST(RequestValuesTest, REQ1_AMessageEndsWithThePlace) {
  EXPECT_EQ(refused_request("{\"user_id\": 1,\n \"limits\": 3}").message,
            "A request has no field 'limits'; did you mean 'limit'? (line 2, column 12)");
  EXPECT_EQ(refused_request(R"({"user_id": 1, "scheduling": {"max_inline_depth": -1}})").message,
            "'scheduling.max_inline_depth' must be from 0 to 1000000 (line 1, column 51)");
}

}  // namespace
}  // namespace millrace::rank
