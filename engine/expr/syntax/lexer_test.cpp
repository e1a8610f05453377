#include "expr/syntax/lexer.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::expr {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<TokenKind> kinds(std::string_view text) {
  Lexer lexer(text);
  std::vector<TokenKind> out;
  for (;;) {
    const std::expected<Token, Diagnostic> token = lexer.next();
    if (!token) {
      ADD_FAILURE() << text << ": " << token.error().message;
      return out;
    }
    if (token->kind == TokenKind::kEnd) return out;
    out.push_back(token->kind);
  }
}

Token first(std::string_view text) {
  Lexer lexer(text);
  std::expected<Token, Diagnostic> token = lexer.next();
  EXPECT_TRUE(token) << text;
  return token ? *token : Token{};
}

Diagnostic first_problem(std::string_view text) {
  Lexer lexer(text);
  for (;;) {
    std::expected<Token, Diagnostic> token = lexer.next();
    if (!token) return token.error();
    if (token->kind == TokenKind::kEnd) {
      ADD_FAILURE() << "no problem in " << text;
      return {};
    }
  }
}

TEST(LexerTest, KnowsOperatorsAndKeywords) {
  using enum TokenKind;
  EXPECT_THAT(kinds("+ - * / % == != < <= > >= ~ ( ) [ ] , ."),
              ElementsAre(kPlus,
                          kMinus,
                          kStar,
                          kSlash,
                          kPercent,
                          kEqual,
                          kNotEqual,
                          kLess,
                          kLessEqual,
                          kGreater,
                          kGreaterEqual,
                          kTilde,
                          kLeftParen,
                          kRightParen,
                          kLeftBracket,
                          kRightBracket,
                          kComma,
                          kDot));
  EXPECT_THAT(kinds("and or not in is null true false android"),
              ElementsAre(kAnd, kOr, kNot, kIn, kIs, kNull, kTrue, kFalse, kName));
  EXPECT_THAT(kinds("a=1"), ElementsAre(kName, kEqual, kInt));
}

TEST(LexerTest, ReadsNumbersExactly) {
  EXPECT_EQ(first("9223372036854775807").magnitude, 9223372036854775807U);
  EXPECT_EQ(first("9223372036854775808").magnitude, 9223372036854775808U);
  EXPECT_EQ(first("0.1").number, 0.1);
  EXPECT_EQ(first(".5").number, 0.5);
  EXPECT_EQ(first("1e-3").number, 1e-3);
  EXPECT_EQ(first("1E+3").kind, TokenKind::kFloat);
  EXPECT_EQ(first("5e-324").number, 5e-324);
}

TEST(LexerTest, RefusesBadNumbers) {
  EXPECT_THAT(first_problem("9223372036854775809").message, HasSubstr("out of range"));
  EXPECT_THAT(first_problem("99999999999999999999999").message, HasSubstr("out of range"));
  EXPECT_THAT(first_problem("1e999").message, HasSubstr("out of range"));
  EXPECT_THAT(first_problem("1.").message, HasSubstr("ends with a point"));
  EXPECT_THAT(first_problem("1e").message, HasSubstr("malformed"));
  EXPECT_THAT(first_problem("1e+").message, HasSubstr("malformed"));
  EXPECT_THAT(first_problem("12abc").message, HasSubstr("runs into a name"));
}

TEST(LexerTest, ResolvesEscapes) {
  EXPECT_EQ(first(R"("a\n\t\r\\\"\'\/")").text, "a\n\t\r\\\"'/");
  EXPECT_EQ(first(R"('it''s')").text, "it");
  EXPECT_EQ(first(R"('say "hi"')").text, "say \"hi\"");
  EXPECT_EQ(first(R"("\u0041\u00e9\u20ac\ud83d\ude00")").text,
            "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(first("\"\xC3\xA9\"").text, "\xC3\xA9");
}

TEST(LexerTest, RefusesBadStrings) {
  EXPECT_THAT(first_problem("\"abc").message, HasSubstr("no end"));
  EXPECT_THAT(first_problem("'abc\n'").message, HasSubstr("no end"));
  EXPECT_THAT(first_problem("\"abc\\").message, HasSubstr("escape"));
  EXPECT_THAT(first_problem(R"("\q")").message, HasSubstr("unknown escape"));
  EXPECT_THAT(first_problem(R"("\u12")").message, HasSubstr("malformed"));
  EXPECT_THAT(first_problem(R"("\u12g4")").message, HasSubstr("malformed"));
  EXPECT_THAT(first_problem(R"("\ud83d")").message, HasSubstr("surrogate"));
  EXPECT_THAT(first_problem(R"("\ud83d\u0041")").message, HasSubstr("surrogate"));
  EXPECT_THAT(first_problem(R"("\ude00")").message, HasSubstr("surrogate"));
}

TEST(LexerTest, ReadsNames) {
  EXPECT_EQ(first("_score2").text, "_score2");
  EXPECT_EQ(first("`odd name`").text, "odd name");
  EXPECT_EQ(first("`and`").kind, TokenKind::kQuotedName);
  EXPECT_EQ(first("$weight").text, "weight");
  EXPECT_EQ(first("$weight").kind, TokenKind::kParam);
  EXPECT_EQ(first("$req.page").text, "page");
  EXPECT_EQ(first("$req.page").kind, TokenKind::kRequest);
  EXPECT_EQ(first("$request").kind, TokenKind::kParam);
}

TEST(LexerTest, RefusesBadNames) {
  EXPECT_THAT(first_problem("$").message, HasSubstr("must follow `$`"));
  EXPECT_THAT(first_problem("$1").message, HasSubstr("must follow `$`"));
  EXPECT_THAT(first_problem("$req").message, HasSubstr("needs a field"));
  EXPECT_THAT(first_problem("$req.1").message, HasSubstr("needs a field"));
  EXPECT_THAT(first_problem("``").message, HasSubstr("quoted name"));
  EXPECT_THAT(first_problem("`abc").message, HasSubstr("quoted name"));
}

TEST(LexerTest, HintsAtOperatorsOfOtherLanguages) {
  EXPECT_EQ(first_problem("a && b").hint, "write `and`");
  EXPECT_EQ(first_problem("a || b").hint, "write `or`");
  EXPECT_EQ(first_problem("!a").hint, "write `not`");
  EXPECT_EQ(first_problem("a === b").hint, "write `==`");
  EXPECT_EQ(first_problem("a !== b").hint, "write `!=`");
  EXPECT_EQ(first_problem("a ? b").hint, "write `if(condition, a, b)`");
  EXPECT_EQ(first_problem("a ?? b").hint, "write `coalesce(x, y)`");
  EXPECT_THAT(first_problem("a @ b").message, HasSubstr("unexpected character"));
  EXPECT_EQ(first_problem("a @ b").span.offset, 2U);
}

TEST(LexerTest, ReadsRegexesWithEscapedSlashes) {
  Lexer lexer(R"(  /a\/b\\\d[x]/im rest)");
  const std::expected<RegexToken, Diagnostic> regex = lexer.next_regex();
  ASSERT_TRUE(regex);
  EXPECT_EQ(regex->pattern, R"(a/b\\\d[x])");
  EXPECT_EQ(regex->flags, "im");
  EXPECT_EQ(regex->span.offset, 2U);
  EXPECT_EQ(lexer.next()->text, "rest");
}

TEST(LexerTest, RefusesBadRegexes) {
  for (const std::string_view text : {"/abc", "/abc\\", "/ab\nc/", "/ab\\\n/"}) {
    Lexer lexer(text);
    const std::expected<RegexToken, Diagnostic> regex = lexer.next_regex();
    ASSERT_FALSE(regex) << text;
    EXPECT_THAT(regex.error().message, HasSubstr("no end"));
  }
  Lexer lexer("\"text\"");
  EXPECT_THAT(lexer.next_regex().error().message, HasSubstr("must follow `~`"));
}

TEST(LexerTest, TellsPlainNames) {
  EXPECT_TRUE(is_plain_name("score_1"));
  EXPECT_FALSE(is_plain_name("and"));
  EXPECT_FALSE(is_plain_name("1a"));
  EXPECT_FALSE(is_plain_name("a b"));
  EXPECT_FALSE(is_plain_name(""));
}

}  // namespace
}  // namespace millrace::expr
