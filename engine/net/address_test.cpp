#include "net/address.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error.h"

namespace millrace::net {
namespace {

TEST(AddressTest, ReadsAndWritesEveryForm) {
  for (const char* text : {"localhost:6379", "127.0.0.1:80", "[::1]:65535", "unix:/run/a b.sock"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(to_string(*address), text);
  }
  EXPECT_EQ(parse_address("[::1]:7").value(), (Address{.host = "::1", .port = 7}));
  EXPECT_TRUE(parse_address("unix:/x").value().is_unix());
}

TEST(AddressTest, S1_OneMayListenOnAnyPort) {
  EXPECT_EQ(parse_listen_address("127.0.0.1:0").value(), (Address{.host = "127.0.0.1"}));
  EXPECT_EQ(parse_listen_address("[::]:8080").value(), (Address{.host = "::", .port = 8080}));
  EXPECT_TRUE(parse_listen_address("unix:/x").value().is_unix());
  EXPECT_FALSE(parse_listen_address("127.0.0.1:65536"));
  EXPECT_FALSE(parse_listen_address("127.0.0.1:"));
}

TEST(AddressTest, RefusesWhatCannotBeConnectedTo) {
  for (const std::string& text : {std::string(""),
                                  std::string("localhost"),
                                  std::string(":80"),
                                  std::string("h:"),
                                  std::string("h:0"),
                                  std::string("h:65536"),
                                  std::string("h:8x"),
                                  std::string("h:-1"),
                                  std::string("::1:80"),
                                  std::string("[]:80"),
                                  std::string("a b:80"),
                                  std::string("u@h:80"),
                                  std::string("unix:"),
                                  "unix:/" + std::string(107, 'x')}) {
    const auto address = parse_address(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(address.error().code(), base::ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace millrace::net
