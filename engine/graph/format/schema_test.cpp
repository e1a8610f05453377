#include "graph/format/schema.h"

#include <initializer_list>
#include <string_view>

#include <gtest/gtest.h>

#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"

namespace millrace::graph {
namespace {

TEST(GraphSchemaTest, NamesEveryFieldWithTypeAndDefault) {
  const auto document = base::read_json(schema_text());
  ASSERT_TRUE(document) << document.error().message;
  const base::JsonValue root = document->root();
  const auto at = [](base::JsonValue value, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      const auto member = value.find_member(name);
      EXPECT_TRUE(member) << name;
      if (member) value = *member;
    }
    return value;
  };
  EXPECT_EQ(root.find_member("properties")->size(), 9U);
  EXPECT_EQ(root.find_member("required")->size(), 5U);
  EXPECT_EQ(root.find_member("additionalProperties")->find_bool(), false);
  const base::JsonValue lane =
      at(root, {"properties", "lanes", "additionalProperties", "properties"});
  EXPECT_EQ(at(lane, {"starvation_guard_every", "default"}).find_int(), 64);
  EXPECT_EQ(at(lane, {"overflow", "default"}).find_string(), "reject");
  EXPECT_EQ(at(lane, {"type", "enum"}).size(), 5U);
  EXPECT_TRUE(lane.find_member("period_ms"));
  EXPECT_FALSE(at(lane, {"queue_capacity"}).find_member("default"));
  const base::JsonValue execution =
      at(root, {"properties", "components", "items", "properties", "execution", "properties"});
  EXPECT_EQ(at(execution, {"priority", "enum"}).size(), 4U);
  EXPECT_EQ(at(execution, {"on_error", "anyOf"}).size(), 2U);
}

}  // namespace
}  // namespace millrace::graph
