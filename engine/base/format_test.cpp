#include "base/format.h"

#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

TEST(FormatTest, FillsPlaceholders) { EXPECT_EQ(base::format("{} of {:03}", "a", 7), "a of 007"); }

TEST(FormatTest, AppendsToText) {
  std::string text = "rows: ";
  base::format_to(std::back_inserter(text), "{}", 40);
  EXPECT_EQ(text, "rows: 40");
}

}  // namespace
}  // namespace millrace::base
