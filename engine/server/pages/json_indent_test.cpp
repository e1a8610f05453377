#include "server/pages/json_indent.h"

#include <string>

#include <gtest/gtest.h>

namespace millrace::server {
namespace {

std::string indented(std::string_view json) {
  std::string out;
  append_indented(json, out);
  return out;
}

TEST(JsonIndentTest, BreaksLinesOutsideStrings) {
  EXPECT_EQ(indented(R"({"a":[1,2],"b":{},"c":[],"d":"{,:\"[\\"})"),
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": [],\n"
            "  \"d\": \"{,:\\\"[\\\\\"\n}\n");
}

TEST(JsonIndentTest, BrokenTextIsHarmless) {
  for (const char* text : {"", "\"", "\"\\", "]]]", "{[", ",:"}) (void)indented(text);
}

}  // namespace
}  // namespace millrace::server
