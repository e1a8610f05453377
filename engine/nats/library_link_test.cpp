#include "nats/library_link.h"

#include <gtest/gtest.h>

// What needs a server is tested in tests/nats/.

namespace millrace::nats {
namespace {

TEST(LibraryLinkTest, FilesThatAreNotThereAreErrors) {
  LinkObserver observer;
  EXPECT_FALSE(open_link({.urls = {"nats://127.0.0.1:1"}, .tls_ca_file = "/nowhere"}, observer));
  EXPECT_FALSE(open_link(
      {.urls = {"nats://127.0.0.1:1"}, .tls_certificate_file = "/nowhere", .tls_key_file = "/no"},
      observer));
}

}  // namespace
}  // namespace millrace::nats
