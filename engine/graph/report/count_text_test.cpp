#include "graph/report/count_text.h"

#include <gtest/gtest.h>

namespace millrace::graph {
namespace {

TEST(CountText, OneIsNoPlural) {
  EXPECT_EQ(count_text(0, "lane"), "0 lanes");
  EXPECT_EQ(count_text(1, "lane"), "1 lane");
  EXPECT_EQ(count_text(2, "lane"), "2 lanes");
}

}  // namespace
}  // namespace millrace::graph
