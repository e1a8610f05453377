#include "stores/redis/protocol/greeting.h"

#include <string>

#include <gtest/gtest.h>

#include "stores/redis/redis_fixture.h"

namespace millrace::stores::testing {
namespace {

std::string shown(const std::string& commands) {
  std::string out;
  for (const RespValue& command : read_all(commands)) {
    for (const RespValue& word : command.elements) out += word.text + " ";
    out += "| ";
  }
  return out;
}
RespValue ok() { return {.type = RespType::kText, .text = "OK"}; }
RespValue refusal(std::string text) { return {.type = RespType::kError, .text = std::move(text)}; }

TEST(GreetingTest, AsksForResp3WithTheUser) {
  const GreetingSettings settings{.username = "u", .password = "p"};
  Greeting greeting(settings);
  EXPECT_EQ(shown(greeting.start()), "HELLO 3 AUTH u p | ");
  EXPECT_EQ(greeting.take({.type = RespType::kMap}).value(), "");
  EXPECT_TRUE(greeting.is_done());
  EXPECT_EQ(greeting.protocol(), 3U);
}

TEST(GreetingTest, SelectsAndTracksAfterHello) {
  const GreetingSettings settings{.password = "p", .database = 4, .tracking = true};
  Greeting greeting(settings);
  EXPECT_EQ(shown(greeting.start()), "HELLO 3 AUTH default p | ");
  EXPECT_EQ(shown(greeting.take({.type = RespType::kMap}).value()),
            "SELECT 4 | CLIENT TRACKING ON | ");
  EXPECT_TRUE(greeting.take(ok()));
  EXPECT_FALSE(greeting.is_done());
  EXPECT_TRUE(greeting.take(ok()));
  EXPECT_TRUE(greeting.is_done());
  EXPECT_TRUE(greeting.tracks());
}

TEST(GreetingTest, FallsBackToResp2WhenHelloIsUnknown) {
  const GreetingSettings settings{
      .username = "u", .password = "p", .database = 1, .tracking = true};
  Greeting greeting(settings);
  static_cast<void>(greeting.start());
  EXPECT_EQ(shown(greeting.take(refusal("ERR unknown command `HELLO`")).value()),
            "AUTH u p | SELECT 1 | ");
  EXPECT_TRUE(greeting.take(ok()));
  EXPECT_TRUE(greeting.take(ok()));
  EXPECT_TRUE(greeting.is_done());
  EXPECT_EQ(greeting.protocol(), 2U);
  EXPECT_FALSE(greeting.tracks());
}

TEST(GreetingTest, Resp2WithNothingToSayPings) {
  const GreetingSettings settings{.protocol = 2};
  Greeting greeting(settings);
  EXPECT_EQ(shown(greeting.start()), "PING | ");
  EXPECT_FALSE(greeting.is_done());
  EXPECT_TRUE(greeting.take(ok()));
  EXPECT_TRUE(greeting.is_done());
}

TEST(GreetingTest, ARefusalIsAnErrorThatSaysWhy) {
  const GreetingSettings settings{.password = "p"};
  Greeting greeting(settings);
  static_cast<void>(greeting.start());
  const auto next = greeting.take(refusal("WRONGPASS invalid username-password pair"));
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code(), base::ErrorCode::kUnavailable);
  EXPECT_NE(next.error().message().find("WRONGPASS"), std::string::npos);
}

}  // namespace
}  // namespace millrace::stores::testing
