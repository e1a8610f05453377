#include "stores/http/http_path.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/error.h"

namespace millrace::stores {
namespace {

TEST(HttpPathTest, FillsEveryPlaceWithTheEncodedValue) {
  const HttpPath path = HttpPath::parse("/a/{id}?x={by}&y=1%20", {"id", "by"}).value();
  EXPECT_TRUE(path.has_value());
  EXPECT_EQ(path.fill("42"), "/a/42?x=42&y=1%20");
  EXPECT_EQ(path.fill("../b c?&%"), "/a/..%2Fb%20c%3F%26%25?x=..%2Fb%20c%3F%26%25&y=1%20");
  EXPECT_EQ(path.fill("a\r\nX: y"), "/a/a%0D%0AX%3A%20y?x=a%0D%0AX%3A%20y&y=1%20");
  EXPECT_EQ(path.fill("é"), "/a/%C3%A9?x=%C3%A9&y=1%20");
}

TEST(HttpPathTest, MayHaveNoPlace) {
  const HttpPath path = HttpPath::parse("/all", {"id"}).value();
  EXPECT_FALSE(path.has_value());
  EXPECT_EQ(path.fill("unused"), "/all");
}

TEST(HttpPathTest, RefusesWhatCannotBeSentOrFilled) {
  for (const std::string& text : {std::string(""),
                                  std::string("items"),
                                  std::string("/a b"),
                                  std::string("/a\r\nX: y"),
                                  std::string("/é"),
                                  std::string("/a#b"),
                                  std::string("/{id"),
                                  std::string("/id}"),
                                  std::string("/{}"),
                                  std::string("/{other}"),
                                  "/" + std::string(HttpPath::kBytesMax, 'x')}) {
    const auto path = HttpPath::parse(text, {"id"});
    ASSERT_FALSE(path) << text;
    EXPECT_EQ(path.error().code(), base::ErrorCode::kInvalidPlan);
  }
}

}  // namespace
}  // namespace millrace::stores
