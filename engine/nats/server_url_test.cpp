#include "nats/server_url.h"

#include <gtest/gtest.h>

namespace millrace::nats {
namespace {

TEST(ServerUrlTest, AddressesOfServersAreChecked) {
  for (const char* good :
       {"nats://127.0.0.1:4222", "tls://nats.example:4443", "localhost", "[::1]:4222"})
    EXPECT_TRUE(check_server_url(good)) << good;
  for (const char* bad : {"", "nats://", "http://x", "nats://:4222", "a b", "nats://host/x"})
    EXPECT_FALSE(check_server_url(bad)) << bad;
}

TEST(ServerUrlTest, NAT8_APasswordInAnAddressIsRefusedAndNotRepeated) {
  const auto refused = check_server_url("nats://user:secret@host");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message().find("secret"), std::string::npos);
}

}  // namespace
}  // namespace millrace::nats
