#include "base/formats/json_document.h"

#include <gtest/gtest.h>

#include "base/formats/json_reader.h"

namespace millrace::base {
namespace {

TEST(JsonDocumentTest, EveryKindHasAName) {
  EXPECT_EQ(to_string(JsonKind::kNull), "null");
  EXPECT_EQ(to_string(JsonKind::kBool), "bool");
  EXPECT_EQ(to_string(JsonKind::kInt), "int");
  EXPECT_EQ(to_string(JsonKind::kUnsigned), "int");
  EXPECT_EQ(to_string(JsonKind::kFloat), "number");
  EXPECT_EQ(to_string(JsonKind::kString), "string");
  EXPECT_EQ(to_string(JsonKind::kArray), "array");
  EXPECT_EQ(to_string(JsonKind::kObject), "object");
}

TEST(JsonDocumentTest, ACopyIsIndependentOfItsOriginal) {
  JsonDocument copy;
  {
    const auto document = read_json(R"({"a": "text"})");
    ASSERT_TRUE(document);
    copy = *document;
  }
  const JsonValue root = copy.root();
  EXPECT_EQ(root.find_member("a").value_or(root).find_string(), "text");
}

TEST(JsonDocumentTest, AsksForTheWrongKindGiveNothing) {
  const auto document = read_json(R"(["text"])");
  ASSERT_TRUE(document);
  const JsonValue text = *document->root().children().begin();
  EXPECT_FALSE(text.find_bool());
  EXPECT_FALSE(text.find_int());
  EXPECT_FALSE(text.find_unsigned());
  EXPECT_FALSE(text.find_number());
  EXPECT_FALSE(text.find_member("a"));
  EXPECT_FALSE(document->root().find_string());
}

}  // namespace
}  // namespace millrace::base
