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

TEST(MessageTextTest, WhatATerminalWouldObeyIsWrittenOut) {
  EXPECT_EQ(printable("plain, ä € 😀\tand\na line"), "plain, ä € 😀\tand\na line");
  EXPECT_EQ(printable("\x1b[2J\x07\x7f"), "\\u001b[2J\\u0007\\u007f");
  EXPECT_EQ(printable(std::string_view("\0\r", 2)), "\\u0000\\u000d");
  EXPECT_EQ(printable("\xc2\x9b"), "\\u009b");
  EXPECT_EQ(printable("a\u202eb\u2066"), "a\\u202eb\\u2066");
  EXPECT_EQ(printable("\x9b\xc2"), "\\x9b\\xc2");
  EXPECT_EQ(printable("\xe2\x82z"), "\\xe2\\x82z");
}

TEST(MessageTextTest, ListsTheAllowedWords) {
  const std::string_view words[] = {"asc", "desc"};
  EXPECT_EQ(one_of(words), "one of asc, desc");
  EXPECT_EQ(one_of({words, 1}), "one of asc");
}

}  // namespace
}  // namespace millrace::base
