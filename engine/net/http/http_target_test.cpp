#include "net/http/http_target.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace millrace::net {
namespace {

void expect_parts(std::string_view target, std::string_view path, std::string_view query) {
  const HttpTarget parts = split_http_target(target);
  EXPECT_EQ(parts.path, path) << target;
  EXPECT_EQ(parts.query, query) << target;
}

TEST(HttpTargetTest, SplitsPathAndQuery) {
  expect_parts("/", "/", "");
  expect_parts("/v1/rank/x?user_id=1&limit=2", "/v1/rank/x", "user_id=1&limit=2");
  expect_parts("/a?b?c", "/a", "b?c");
  expect_parts("/a?", "/a", "");
  expect_parts("/a%3Fb", "/a%3Fb", "");
  expect_parts("/a?x#y?z", "/a", "x");
  expect_parts("*", "*", "");
}

TEST(HttpTargetTest, ATargetWithAHostLosesIt) {
  expect_parts("http://host:1/a?b", "/a", "b");
  expect_parts("HTTPS://host", "/", "");
  expect_parts("http://host?b", "/", "b");
  expect_parts("/http://host/a", "/http://host/a", "");
}

TEST(HttpTargetTest, DecodesOnce) {
  std::string text = "old";
  EXPECT_TRUE(try_decode_percent("a%2fb%2525+", text));
  EXPECT_EQ(text, "a/b%25+");
  EXPECT_TRUE(try_decode_query("a+b%2B", text));
  EXPECT_EQ(text, "a b+");
  EXPECT_TRUE(try_decode_percent("%00", text));
  EXPECT_EQ(text, std::string(1, '\0'));
  for (const std::string_view bad : {"%", "%2", "%2g", "a%zz", "%%41"}) {
    EXPECT_FALSE(try_decode_percent(bad, text)) << bad;
  }
}

TEST(HttpTargetTest, S12_SegmentsAreSplitBeforeTheyAreDecoded) {
  const auto segments = [](std::string_view path) {
    std::vector<std::string> all;
    while (!path.empty()) {
      std::string text;
      EXPECT_TRUE(try_decode_percent(take_path_segment(path), text));
      all.push_back(text);
    }
    return all;
  };
  EXPECT_EQ(segments("/v1/a%2Fb/c"), (std::vector<std::string>{"v1", "a/b", "c"}));
  EXPECT_EQ(segments("/a/"), (std::vector<std::string>{"a", ""}));
  EXPECT_EQ(segments("/"), (std::vector<std::string>{""}));
  EXPECT_EQ(segments("//a"), (std::vector<std::string>{"", "a"}));
}

TEST(HttpTargetTest, TakesQueryItemsInOrder) {
  std::string_view query = "&a=1&&b&c=2=3&=x&";
  std::vector<std::string> all;
  HttpQueryItem item;
  while (try_take_query_item(query, item)) {
    all.push_back(std::string(item.name) + ":" + std::string(item.value));
  }
  EXPECT_EQ(all, (std::vector<std::string>{"a:1", "b:", "c:2=3", ":x"}));
}

}  // namespace
}  // namespace millrace::net
