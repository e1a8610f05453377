#include "graph/components/config_reading.h"

#include <chrono>

#include <gtest/gtest.h>

#include "graph/payload.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

TEST(ConfigReading, ReadsFieldsAndDefaults) {
  const Payload config =
      *Payload::parse(R"({"n":3,"f":1.5,"b":true,"d":"20ms","e_ms":7,"list":["1ms","2s"]})");
  EXPECT_EQ(read_int(config, "n", 0), 3);
  EXPECT_EQ(read_int(config, "none", 9), 9);
  EXPECT_EQ(read_number(config, "f", 0), 1.5);
  EXPECT_EQ(read_number(config, "n", 0), 3.0);
  EXPECT_TRUE(read_flag(config, "b"));
  EXPECT_FALSE(read_flag(config, "none"));
  EXPECT_EQ(read_duration(config, "d"), 20ms);
  EXPECT_EQ(read_duration(config, "e"), 7ms);
  EXPECT_EQ(read_duration(config, "none", 1s), 1s);
  EXPECT_EQ(read_durations(config, "list"), (std::vector<Duration>{1ms, 2s}));
  EXPECT_TRUE(read_durations(Payload(), "list").empty());
}

}  // namespace
}  // namespace millrace::graph
