#include "bridge/http_link.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "net/address.h"

namespace millrace::bridge {
namespace {

TEST(HttpLink, UrlsAreTakenApart) {
  const auto whole = parse_http_place("http://localhost:8080/a/b?c=1");
  ASSERT_TRUE(whole);
  EXPECT_EQ(net::to_string(whole->address), "localhost:8080");
  EXPECT_EQ(whole->target, "/a/b?c=1");
  EXPECT_EQ(parse_http_place("http://host")->address.port, 80);
  EXPECT_EQ(parse_http_place("http://[::1]/x")->address.host, "::1");
  EXPECT_EQ(parse_http_place("http://host?q=1")->target, "/?q=1");
  for (const char* bad : {"",
                          "https://host/",
                          "host:80",
                          "http://",
                          "http://host:99999/",
                          "http://host/a b",
                          "http://host/#x",
                          "http://unix:/x"}) {
    EXPECT_FALSE(parse_http_place(bad)) << bad;
  }
}

TEST(HttpLink, AServerThatIsNotThereIsUnavailable) {
  // Port 1 of the loopback interface: nobody listens there.
  const auto link = make_http_link({.place = *parse_http_place("http://127.0.0.1:1/"),
                                    .timeout = std::chrono::seconds(5),
                                    .body_bytes_max = 100});
  ASSERT_TRUE(link);
  const auto reply = (*link)->get();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), base::ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace millrace::bridge
