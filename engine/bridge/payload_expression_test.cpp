#include "bridge/payload_expression.h"

#include <chrono>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/payload.h"

namespace millrace::bridge {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// The value as JSON, or the error.
std::string evaluate(PayloadExpression& expression, std::string_view message) {
  const auto value = expression.evaluate(*graph::Payload::parse(message), 1500ms);
  return value ? value->to_json() : value.error().message();
}

std::string evaluate(std::string_view text, std::string_view message) {
  auto expression = PayloadExpression::make(text);
  return expression ? evaluate(*expression, message) : expression.error().message();
}

TEST(PayloadExpression, NamesAreMembersOfTheMessage) {
  EXPECT_EQ(evaluate("price * count", R"({"price": 2.5, "count": 4})"), "10");
  EXPECT_EQ(evaluate("name == \"a\" and on", R"({"name": "a", "on": true})"), "true");
  EXPECT_EQ(evaluate("value + 1", "41"), "42");
  EXPECT_EQ(evaluate("id + 1", R"({"id": 7})"), "8");
  EXPECT_EQ(evaluate("now()", "1"), "1500");
  EXPECT_EQ(evaluate("1 + 1", "{}"), "2");
}

TEST(PayloadExpression, MissingMembersAreNullOfTheTypeThatFits) {
  EXPECT_EQ(evaluate("name == \"a\"", "{}"), "false");
  EXPECT_EQ(evaluate("coalesce(name, \"none\")", "{}"), "\"none\"");
  EXPECT_EQ(evaluate("coalesce(x, 0.5)", R"({"x": null})"), "0.5");
  auto kept = PayloadExpression::make("n is null");
  ASSERT_TRUE(kept);
  EXPECT_EQ(evaluate(*kept, R"({"n": 1})"), "false");
  EXPECT_EQ(evaluate(*kept, "{}"), "true");
}

TEST(PayloadExpression, TypesMayChangeFromMessageToMessage) {
  auto sum = PayloadExpression::make("a + b");
  ASSERT_TRUE(sum);
  EXPECT_EQ(evaluate(*sum, R"({"a": 1, "b": 2})"), "3");
  EXPECT_EQ(evaluate(*sum, R"({"a": 1, "b": 0.5})"), "1.5");
  EXPECT_THAT(evaluate(*sum, R"({"a": 1, "b": true})"), HasSubstr("bool"));
  EXPECT_EQ(evaluate(*sum, R"({"a": 3, "b": 4})"), "7") << "an error has no consequences";
}

TEST(PayloadExpression, WhatHasNoValueIsAnError) {
  EXPECT_THAT(evaluate("1 / n", R"({"n": [1]})"), HasSubstr("'n' is a list or an object"));
  EXPECT_THAT(evaluate("id", R"({"id": "seven"})"), HasSubstr("'id' must be an integer"));
  EXPECT_THAT(evaluate("n * 9223372036854775807", R"({"n": 5})"), HasSubstr("overflow"));
  EXPECT_EQ(evaluate("n % 0", R"({"n": 5})"), "null") << "as in plans";
}

TEST(PayloadExpression, MistakesAreToldBeforeAnyMessage) {
  EXPECT_THAT(find_expression_fault("1 +"), Not(testing::IsEmpty()));
  EXPECT_THAT(find_expression_fault("$weight * 2"), HasSubstr("Graphs have no params"));
  EXPECT_THAT(find_expression_fault("viewer.age > 3"), HasSubstr("Graphs have no params"));
  EXPECT_THAT(find_expression_fault("true + 1"), HasSubstr("bool"));
  EXPECT_EQ(find_expression_fault("a + b"), "");
}

}  // namespace
}  // namespace millrace::bridge
