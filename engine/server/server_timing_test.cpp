#include "server/server_timing.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace millrace::server {
namespace {

TEST(ServerTimingTest, WritesMilliseconds) {
  using std::chrono::microseconds;
  std::string text;
  append_server_timing({.read = microseconds(5),
                        .wait = microseconds(-1),
                        .run = microseconds(1500),
                        .total = microseconds(1505)},
                       text);
  EXPECT_EQ(text, "read;dur=0.005, wait;dur=0.000, run;dur=1.500, total;dur=1.505");
  text.clear();
  append_server_timing({.read = std::chrono::nanoseconds(499),
                        .wait = std::chrono::nanoseconds(501),
                        .run = std::chrono::nanoseconds(999'999'600),
                        .total = std::chrono::seconds(3601)},
                       text);
  EXPECT_EQ(text, "read;dur=0.000, wait;dur=0.001, run;dur=1000.000, total;dur=3601000.000");
}

TEST(ServerTimingTest, S19_TheSixteenDearestNodesOfATraceComeFirst) {
  std::string nodes;
  for (int node = 0; node < 20; ++node) {
    nodes += (node == 0 ? "" : ",") + std::string(R"({"node":"a.)") + std::to_string(node) +
             R"(","start_us":10,"end_us":)" + std::to_string(10 + node * 1000) + "}";
  }
  std::string text = "total;dur=1.000";
  append_node_timing(R"({"trace":{"nodes":[)" + nodes + R"(,{"node":"open","start_us":1}]}})",
                     text);
  EXPECT_TRUE(text.starts_with("total;dur=1.000, n_a_19;dur=19.000, n_a_18;dur=18.000")) << text;
  EXPECT_TRUE(text.ends_with("n_a_4;dur=4.000")) << text;
  for (const char* other : {"{}", "no JSON", R"({"trace":{"error":"x"}})"}) {
    text.clear();
    append_node_timing(other, text);
    EXPECT_EQ(text, "");
  }
}

}  // namespace
}  // namespace millrace::server
