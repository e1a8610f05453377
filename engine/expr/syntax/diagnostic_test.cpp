#include "expr/syntax/diagnostic.h"

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::expr {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DiagnosticTest, RendersCaretUnderThePlace) {
  const Diagnostic diagnostic{
      Severity::kError, {7, 5}, "Unknown key: `scroe`", "did you mean `score`?"};
  EXPECT_EQ(render("id and scroe > 1", diagnostic),
            "Unknown key: `scroe`\n"
            " 1 | id and scroe > 1\n"
            "   |        ^~~~~\n"
            " hint: did you mean `score`?");
}

TEST(DiagnosticTest, RendersTheRightLine) {
  const Diagnostic diagnostic{Severity::kError, {6, 1}, "Bad", ""};
  EXPECT_EQ(render("a\n+\nb ? c\nd", diagnostic), "Bad\n 3 | b ? c\n   |   ^");
}

TEST(DiagnosticTest, RendersTheEndOfTheText) {
  EXPECT_EQ(render("a +", {Severity::kError, {3, 0}, "Bad", ""}), "Bad\n 1 | a +\n   |    ^");
  EXPECT_EQ(render("", {Severity::kError, {0, 0}, "Bad", ""}), "Bad\n 1 | \n   | ^");
}

TEST(DiagnosticTest, ReplacesWhatIsNotPrintable) {
  const std::string text = "a\t\xFF\x01 \xC3 b";
  EXPECT_EQ(render(text, {Severity::kError, {7, 1}, "Bad", ""}),
            "Bad\n 1 | a ?  ? b\n   |        ^");
}

TEST(DiagnosticTest, CutsLongLinesAroundTheCaret) {
  const std::string text = std::string(5000, 'x') + "!" + std::string(5000, 'y');
  const std::string shown = render(text, {Severity::kError, {5000, 1}, "Bad", ""});
  EXPECT_LT(shown.size(), 300U);
  EXPECT_THAT(shown, HasSubstr("...xxx"));
  EXPECT_THAT(shown, HasSubstr("yyy..."));
  const std::string caret_line = shown.substr(shown.rfind("\n") + 1);
  const std::string source_line = shown.substr(4, shown.rfind("\n") - 4);
  EXPECT_EQ(caret_line.find('^'), source_line.find('!'));
}

TEST(DiagnosticTest, JoinsErrorsAndLeavesWarningsOut) {
  const std::array<Diagnostic, 3> all{{
      {Severity::kWarning, {0, 1}, "Odd", ""},
      {Severity::kError, {4, 1}, "First", ""},
      {Severity::kError, {8, 1}, "Second", ""},
  }};
  const base::Error error = to_error("a + b + c", all);
  EXPECT_EQ(error.code(), base::ErrorCode::kInvalidExpression);
  EXPECT_EQ(error.where(), "1:5");
  EXPECT_THAT(error.message(), HasSubstr("First"));
  EXPECT_THAT(error.message(), HasSubstr("Second"));
  EXPECT_THAT(error.message(), Not(HasSubstr("Odd")));
}

}  // namespace
}  // namespace millrace::expr
