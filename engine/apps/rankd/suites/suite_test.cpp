#include "apps/rankd/suites/suite.h"

#include <gtest/gtest.h>

#include "base/formats/json_reader.h"

namespace millrace::rankd {
namespace {

TEST(SuiteTest, GivesValuesOfADocument) {
  const auto document = base::read_json(R"([true, 7, 0.5, "x", null, []])");
  ASSERT_TRUE(document.has_value());
  std::vector<FieldValue> values;
  for (const base::JsonValue item : document->root().children())
    values.push_back(to_field_value(item));
  const std::vector<FieldValue> expected{
      true, std::int64_t{7}, 0.5, std::string("x"), std::monostate{}, std::monostate{}};
  EXPECT_EQ(values, expected);
}

}  // namespace
}  // namespace millrace::rankd
