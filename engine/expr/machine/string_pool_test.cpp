#include "expr/machine/string_pool.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace millrace::expr {
namespace {

TEST(StringPoolTest, GivesOneCodePerDistinctString) {
  StringPool pool;
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i) texts.push_back("text " + std::to_string(i));
  for (int round = 0; round < 2; ++round) {
    for (std::int32_t i = 0; i < 1000; ++i) {
      EXPECT_EQ(pool.add(texts[static_cast<std::size_t>(i)]), i);
    }
  }
  EXPECT_EQ(pool.size(), 1000);
  EXPECT_EQ(pool.add_owned("text 5"), 5);
  EXPECT_EQ(pool.add_owned("new"), 1000);
  EXPECT_EQ(pool.at(1000), "new");
  EXPECT_EQ(pool.add(""), 1001);
}

TEST(StringPoolTest, MakesADictionaryWithTheSameCodes) {
  StringPool pool;
  for (const std::string_view text : {"b", "a", "", "b"}) static_cast<void>(pool.add(text));
  const rows::DictionaryRef dictionary = pool.to_dictionary();
  ASSERT_EQ(dictionary->size(), 3);
  EXPECT_EQ(dictionary->at(0), "b");
  EXPECT_EQ(dictionary->at(1), "a");
  EXPECT_EQ(dictionary->at(2), "");
}

TEST(StringPoolTest, StartsOverAfterClear) {
  StringPool pool;
  static_cast<void>(pool.add("a"));
  static_cast<void>(pool.add_owned("b"));
  pool.clear();
  EXPECT_EQ(pool.size(), 0);
  EXPECT_EQ(pool.add("b"), 0);
}

}  // namespace
}  // namespace millrace::expr
