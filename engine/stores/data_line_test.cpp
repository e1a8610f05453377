#include "stores/data_line.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> words;
  words.resize(split_words(line, words).value());
  return words;
}

TEST(DataLineTest, SplitsAtSpacesAndUndoesQuotes) {
  EXPECT_THAT(split("HSET  k \"a b\" \"\" x"), ElementsAre("HSET", "k", "a b", "", "x"));
  EXPECT_THAT(split("\"q\\\"\\n\\x41\\\\\""), ElementsAre("q\"\nA\\"));
  EXPECT_THAT(split("   "), ElementsAre());
}

TEST(DataLineTest, RefusesWhatRedisWouldReadOtherwise) {
  std::vector<std::string> words;
  for (const char* line : {"a \"b", "a \"b\"c", "a b\"c", "'a'", "\"\\q\"", "\"\\x4\"", "a\tb"}) {
    EXPECT_FALSE(split_words(line, words).has_value()) << line;
  }
}

TEST(DataLineTest, ReadsBackEveryByte) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const std::string& word : {all, std::string("plain"), std::string(), std::string("a b")}) {
    std::string line;
    append_word(line, word);
    EXPECT_THAT(split(line), ElementsAre(word));
  }
}

}  // namespace
}  // namespace millrace::stores::testing
