#include "base/append_texts.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

TEST(AppendTextsTest, AppendsInOrderAndKeepsWhatIsThere) {
  std::string out = "a";
  append_texts(out, "b", std::string("c"), std::string_view("de"), "");
  EXPECT_EQ(out, "abcde");
  append_texts(out, std::string_view());
  EXPECT_EQ(out, "abcde");
  const std::string large(1000, 'x');
  append_texts(out, large, "|", large);
  EXPECT_EQ(out, "abcde" + large + "|" + large);
}

}  // namespace
}  // namespace millrace::base
