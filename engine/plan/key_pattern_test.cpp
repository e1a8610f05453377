#include "plan/key_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(KeyPatternTest, TSK4_APatternHasAnyNumberOfNames) {
  const KeyPattern one = parse_key_pattern("follow:{id}:x").value();
  EXPECT_EQ(one.prefix, "follow:");
  EXPECT_THAT(one.places, ElementsAre(KeyPattern::Place{.name = "id", .suffix = ":x"}));
  const KeyPattern two = parse_key_pattern("{country}{id}").value();
  EXPECT_EQ(two.prefix, "");
  EXPECT_THAT(two.places,
              ElementsAre(KeyPattern::Place{.name = "country", .suffix = ""},
                          KeyPattern::Place{.name = "id", .suffix = ""}));
  const KeyPattern none = parse_key_pattern("trending").value();
  EXPECT_EQ(none.prefix, "trending");
  EXPECT_THAT(none.places, IsEmpty());
}

TEST(KeyPatternTest, TSK4_ItsTextIsThatItWasMadeOf) {
  for (const char* text : {"trending", "a:{b}", "{a}{b}", "x{a}y{a}z", "{a}"}) {
    EXPECT_EQ(to_string(parse_key_pattern(text).value()), text);
  }
}

TEST(KeyPatternTest, TSK4_SaysWhatIsWrong) {
  const auto problem = [](const char* text) {
    const auto pattern = parse_key_pattern(text);
    return pattern ? "nothing" : pattern.error().message();
  };
  EXPECT_THAT(problem(""), HasSubstr("it is empty"));
  EXPECT_THAT(problem("a{}"), HasSubstr("a name is empty: a{}"));
  for (const char* text : {"{", "a{b", "{{a}", "{a{b}"}) {
    EXPECT_THAT(problem(text), HasSubstr("'{' has no '}'")) << text;
  }
  for (const char* text : {"}", "}a{", "{a}}", "a}"}) {
    EXPECT_THAT(problem(text), HasSubstr("'}' stands without '{'")) << text;
  }
}

}  // namespace
}  // namespace millrace::plan
