#include "base/formats/json_builder.h"

#include <string>

#include <gtest/gtest.h>

#include "base/formats/json_document.h"

namespace millrace::base {
namespace {

TEST(JsonBuilderTest, FillsADocumentThatReadsAsOneFromText) {
  JsonDocument document;
  JsonBuilder builder(document, "0123456789");
  builder.begin_object(0);
  builder.key("a", 1);
  builder.integer(7, 2);
  builder.key("b", 3);
  builder.begin_array(4);
  builder.string("x", 5);
  builder.boolean(true, 6);
  builder.end();
  builder.key("c", 7);
  builder.number(0.5, 8);
  const JsonValue root = builder.end();
  EXPECT_EQ(root.size(), 3U);
  EXPECT_EQ(root.find_member("a")->find_int(), 7);
  EXPECT_EQ(root.find_member("a")->key_offset(), 1U);
  EXPECT_EQ(root.find_member("b")->size(), 2U);
  EXPECT_EQ(root.find_member("c")->find_number(), 0.5);
  EXPECT_EQ(builder.depth(), 0U);
}

TEST(JsonBuilderTest, RepeatsAValueWithAllBelowIt) {
  JsonDocument document;
  JsonBuilder builder(document, "");
  builder.begin_array(0);
  builder.begin_object(1);
  builder.key("k", 2);
  builder.string("v", 3);
  const JsonValue first = builder.end();
  builder.repeat(first, 9);
  builder.integer(1, 10);
  const JsonValue root = builder.end();
  ASSERT_EQ(root.size(), 3U);
  auto item = root.children().begin();
  ++item;
  EXPECT_EQ((*item).offset(), 9U);
  EXPECT_EQ((*item).find_member("k")->find_string(), "v");
  EXPECT_EQ((*item).find_member("k")->offset(), 3U);
  ++item;
  EXPECT_EQ((*item).find_int(), 1);
}

TEST(JsonBuilderTest, FindsTheSecondOfTwoEqualNamesInSmallAndLargeObjects) {
  for (const int count : {3, 40}) {
    JsonDocument document;
    JsonBuilder builder(document, "");
    builder.begin_object(0);
    for (int i = 0; i < count; ++i) {
      builder.key("k" + std::to_string(i), 0);
      builder.null(0);
    }
    builder.key("k1", 77);
    builder.null(78);
    const auto repeated = find_repeated_key(builder.end());
    ASSERT_TRUE(repeated);
    EXPECT_EQ(repeated->key_offset(), 77U);
  }
}

}  // namespace
}  // namespace millrace::base
