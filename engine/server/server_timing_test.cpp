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
}

}  // namespace
}  // namespace millrace::server
