#include "base/problems/message_text.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

TEST(MessageTextTest, CutsLongTextAtTheEndOfACharacter) {
  EXPECT_EQ(shortened("short"), "short");
  EXPECT_EQ(shortened(std::string(79, 'x') + "ä tail"), std::string(79, 'x') + "…");
  EXPECT_EQ(shortened(std::string(80, 'x')), std::string(80, 'x'));
}

TEST(MessageTextTest, ListsTheAllowedWords) {
  const std::string_view words[] = {"asc", "desc"};
  EXPECT_EQ(one_of(words), "one of asc, desc");
  EXPECT_EQ(one_of({words, 1}), "one of asc");
}

}  // namespace
}  // namespace millrace::base
