#include "nats/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// What needs a server is tested in tests/nats/.

namespace millrace::nats {
namespace {

TEST(ClientTest, AServerThatIsNotThereIsNamed) {
  // Nobody may listen on port 1 of this machine.
  const auto made = Client::connect({.urls = {"nats://127.0.0.1:1"}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), base::ErrorCode::kUnavailable);
  EXPECT_THAT(made.error().message(),
              ::testing::MatchesRegex("Cannot connect to NATS: .*nats://127.0.0.1:1."));
}

}  // namespace
}  // namespace millrace::nats
