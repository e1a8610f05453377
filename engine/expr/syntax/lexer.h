#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "expr/syntax/diagnostic.h"

namespace millrace::expr {

enum class TokenKind : std::uint8_t {
  kEnd,
  kInt,
  kFloat,
  kString,
  kName,        ///< `score`
  kQuotedName,  ///< a name between backquotes, never a keyword or a function
  kParam,       ///< `$weight`
  kRequest,     ///< `$req.country`
  kLeftParen,
  kRightParen,
  kLeftBracket,
  kRightBracket,
  kComma,
  kDot,
  kPlus,
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
  kAnd,
  kOr,
  kNot,
  kIn,
  kIs,
  kNull,
  kTrue,
  kFalse,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  SourceSpan span{};
  /// A name without its prefix, or a string with its escapes resolved.
  std::string text{};
  /// Magnitude of an integer, at most 2^63: only a minus before it makes 2^63 an int64.
  std::uint64_t magnitude = 0;
  double number = 0;
};

/// A regex literal: `/pattern/flags`, with `\/` in the pattern resolved.
struct RegexToken {
  SourceSpan span;
  std::string pattern;
  std::string flags;
};

/// Cuts expression text into tokens. Only the parser knows whether `/` divides or opens a regex, so
/// it calls next_regex() where a regex must follow.
/// Threading: not shared. Lifetime: borrows the text.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  /// Gives the next token; after the last one always kEnd.
  [[nodiscard]] std::expected<Token, Diagnostic> next();
  /// Gives the regex that must start here.
  [[nodiscard]] std::expected<RegexToken, Diagnostic> next_regex();

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const;
  void skip_space();
  [[nodiscard]] std::string_view take_name();
  [[nodiscard]] SourceSpan span_from(std::size_t begin) const;
  [[nodiscard]] std::expected<Token, Diagnostic> number();
  [[nodiscard]] std::expected<Token, Diagnostic> string();
  [[nodiscard]] std::expected<std::uint32_t, Diagnostic> unicode_escape(std::size_t begin);
  [[nodiscard]] std::expected<void, Diagnostic> escape(std::string& out);
  [[nodiscard]] std::expected<Token, Diagnostic> quoted_name();
  [[nodiscard]] std::expected<Token, Diagnostic> dollar_name();
  [[nodiscard]] Token name();
  [[nodiscard]] std::expected<Token, Diagnostic> punctuation();

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Says whether `name` can be written without backquotes: a letter or `_`, then letters, digits,
/// `_`, and no keyword.
[[nodiscard]] bool is_plain_name(std::string_view name);

}  // namespace millrace::expr
