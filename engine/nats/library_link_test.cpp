#include "nats/library_link.h"

#include <gtest/gtest.h>

// What needs a server is tested in tests/nats/.

namespace millrace::nats {
namespace {

TEST(LibraryLinkTest, AddressesOfServersAreChecked) {
  for (const char* good :
       {"nats://127.0.0.1:4222", "tls://nats.example:4443", "localhost", "[::1]:4222"})
    EXPECT_TRUE(check_server_url(good)) << good;
  for (const char* bad : {"", "nats://", "http://x", "nats://:4222", "a b", "nats://host/x"})
    EXPECT_FALSE(check_server_url(bad)) << bad;
}

TEST(LibraryLinkTest, NAT8_APasswordInAnAddressIsRefusedAndNotRepeated) {
  const auto refused = check_server_url("nats://user:secret@host");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message().find("secret"), std::string::npos);
}

TEST(LibraryLinkTest, FilesThatAreNotThereAreErrors) {
  LinkObserver observer;
  EXPECT_FALSE(open_link({.urls = {"nats://127.0.0.1:1"}, .tls_ca_file = "/nowhere"}, observer));
  EXPECT_FALSE(open_link(
      {.urls = {"nats://127.0.0.1:1"}, .tls_certificate_file = "/nowhere", .tls_key_file = "/no"},
      observer));
}

}  // namespace
}  // namespace millrace::nats
