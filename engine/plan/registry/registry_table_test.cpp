#include "plan/registry/registry_table.h"

#include <string>

#include <gtest/gtest.h>

#include "plan/problem.h"

namespace millrace::plan {
namespace {

TEST(RegistryTableTest, SuggestsTheNearestNameForAnUnknownField) {
  ProblemReport report;
  RegistryFile file("x.toml", report);
  const auto root = file.read("[a]\nhots = 1\n");
  ASSERT_TRUE(root);
  TableReader table(file, root->find<base::TomlValue::Table>()->front(), "a");
  ASSERT_TRUE(table.is_table());
  table.allow_only({"host", "port"});
  ASSERT_EQ(report.problems().size(), 1U);
  EXPECT_EQ(report.problems()[0].code, ProblemCode::kUnknownField);
  EXPECT_EQ(report.problems()[0].path, "a.hots");
  EXPECT_EQ(report.problems()[0].hint, "did you mean 'host'?");
}

TEST(RegistryTableTest, NamesAreLowerCaseAndBeginWithALetter) {
  for (const std::string text : {"[Big]\n", "[1a]\n", "['a b']\n"}) {
    ProblemReport report;
    RegistryFile file("x.toml", report);
    const auto root = file.read(text);
    ASSERT_TRUE(root);
    check_name(file, root->find<base::TomlValue::Table>()->front(), "x");
    ASSERT_EQ(report.problems().size(), 1U) << text;
    EXPECT_EQ(report.problems()[0].code, ProblemCode::kBadName);
  }
}

}  // namespace
}  // namespace millrace::plan
