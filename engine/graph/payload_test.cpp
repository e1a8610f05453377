#include "graph/payload.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace millrace::graph {
namespace {

TEST(Payload, ReadsAndWritesEveryKindOfJsonValue) {
  for (const char* text : {"null",
                           "true",
                           "-7",
                           "1.5",
                           "\"a \\\"word\\\"\"",
                           "[]",
                           "[1,[2,\"x\"]]",
                           "{}",
                           "{\"b\":1,\"a\":{\"c\":[null]}}"}) {
    const auto payload = Payload::parse(text);
    ASSERT_TRUE(payload) << text;
    EXPECT_EQ(payload->to_json(), text);
  }
}

TEST(Payload, RefusesWhatIsNotOneValue) {
  for (const char* text : {"", "1,2", "{", "1]", "]", "[1] [2", "nul", "//"}) {
    EXPECT_FALSE(Payload::parse(text)) << text;
  }
}

TEST(Payload, KeepsIntegersApartFromFloats) {
  EXPECT_EQ(Payload::parse("9223372036854775807")->find_int(),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Payload::parse("18446744073709551615")->kind(), PayloadKind::kFloat);
  EXPECT_FALSE(Payload(1.0) == Payload(std::int64_t{1}));
  EXPECT_EQ(Payload(2.0).find_int(), std::nullopt);
  EXPECT_EQ(Payload(std::int64_t{2}).find_number(), 2.0);
}

TEST(Payload, CopiesShareAndOutliveTheOriginal) {
  Payload copy;
  {
    const Payload original =
        Payload::object({{.name = "k", .value = Payload(std::string(64, 'x'))}});
    copy = original;
    EXPECT_EQ(copy.find_member("k")->find_text()->data(),
              original.find_member("k")->find_text()->data());
  }
  EXPECT_EQ(copy.find_member("k")->find_text(), std::string(64, 'x'));
  EXPECT_EQ(copy.find_member("no"), nullptr);
  Payload moved = std::move(copy);
  moved = Payload(true);
  EXPECT_EQ(moved.find_bool(), true);
}

TEST(Payload, ComparesByContent) {
  const auto text = "{\"a\":[1,2.5,\"x\",true,null]}";
  EXPECT_EQ(*Payload::parse(text), *Payload::parse(text));
  EXPECT_FALSE(*Payload::parse(text) == *Payload::parse("{\"a\":[1]}"));
  EXPECT_FALSE(*Payload::parse("{\"a\":1}") == *Payload::parse("{\"b\":1}"));
}

}  // namespace
}  // namespace millrace::graph
