#include "expr/syntax/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace millrace::expr {

namespace {

using std::unexpected;

constexpr std::uint64_t kMagnitudeMax = std::uint64_t{1} << 63U;
constexpr std::string_view kRequestPrefix = "req";

constexpr std::array<std::pair<std::string_view, TokenKind>, 8> kKeywords{{
    {"and", TokenKind::kAnd},
    {"or", TokenKind::kOr},
    {"not", TokenKind::kNot},
    {"in", TokenKind::kIn},
    {"is", TokenKind::kIs},
    {"null", TokenKind::kNull},
    {"true", TokenKind::kTrue},
    {"false", TokenKind::kFalse},
}};

struct Punctuation {
  std::string_view text;
  TokenKind kind;
};

// Longer ones come first, because the first match is taken.
constexpr std::array<Punctuation, 19> kPunctuation{{
    {"==", TokenKind::kEqual},       {"!=", TokenKind::kNotEqual},
    {"<=", TokenKind::kLessEqual},   {">=", TokenKind::kGreaterEqual},
    {"=", TokenKind::kEqual},        {"<", TokenKind::kLess},
    {">", TokenKind::kGreater},      {"(", TokenKind::kLeftParen},
    {")", TokenKind::kRightParen},   {"[", TokenKind::kLeftBracket},
    {"]", TokenKind::kRightBracket}, {",", TokenKind::kComma},
    {".", TokenKind::kDot},          {"+", TokenKind::kPlus},
    {"-", TokenKind::kMinus},        {"*", TokenKind::kStar},
    {"/", TokenKind::kSlash},        {"%", TokenKind::kPercent},
    {"~", TokenKind::kTilde},
}};

// Operators of other languages that people try, and what to write here instead.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kForeign{{
    {"===", "write `==`"},
    {"!==", "write `!=`"},
    {"&&", "write `and`"},
    {"||", "write `or`"},
    {"<>", "write `!=`"},
    {"!~", "write `not (x ~ /re/)`"},
    {"=~", "write `x ~ /re/`"},
    {"**", "write `pow(x, y)`"},
    {"??", "write `coalesce(x, y)`"},
    {"!", "write `not`"},
    {"?", "write `if(condition, a, b)`"},
}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

std::optional<TokenKind> find_keyword(std::string_view name) {
  for (const auto& [text, kind] : kKeywords) {
    if (text == name) return kind;
  }
  return std::nullopt;
}

void append_utf8(std::uint32_t code_point, std::string& out) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code_point < 0x80U) {
    put(code_point);
  } else if (code_point < 0x800U) {
    put(0xC0U | (code_point >> 6U));
    put(0x80U | (code_point & 0x3FU));
  } else if (code_point < 0x10000U) {
    put(0xE0U | (code_point >> 12U));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  } else {
    put(0xF0U | (code_point >> 18U));
    put(0x80U | ((code_point >> 12U) & 0x3FU));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  }
}

}  // namespace

bool is_plain_name(std::string_view name) {
  return !name.empty() && is_name_start(name.front()) && std::ranges::all_of(name, is_name_part) &&
         !find_keyword(name);
}

char Lexer::peek(std::size_t ahead) const {
  return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
}

void Lexer::skip_space() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
    ++at_;
  }
}

SourceSpan Lexer::span_from(std::size_t begin) const {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_ - begin)};
}

std::string_view Lexer::take_name() {
  const std::size_t begin = at_;
  while (is_name_part(peek())) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::expected<Token, Diagnostic> Lexer::next() {
  skip_space();
  if (at_ == text_.size()) return Token{.kind = TokenKind::kEnd, .span = span_from(at_)};
  const char c = peek();
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
  if (c == '"' || c == '\'') return string();
  if (c == '`') return quoted_name();
  if (c == '$') return dollar_name();
  if (is_name_start(c)) return name();
  return punctuation();
}

std::expected<Token, Diagnostic> Lexer::number() {
  const std::size_t begin = at_;
  bool is_float = false;
  while (is_digit(peek())) ++at_;
  if (peek() == '.') {
    is_float = true;
    ++at_;
    if (!is_digit(peek())) {
      return problem(span_from(begin), "A number ends with a point", "write `1.0` or `1`");
    }
    while (is_digit(peek())) ++at_;
  }
  if (peek() == 'e' || peek() == 'E') {
    is_float = true;
    ++at_;
    if (peek() == '+' || peek() == '-') ++at_;
    while (is_digit(peek())) ++at_;
  }
  if (is_name_start(peek())) {
    static_cast<void>(take_name());
    return problem(span_from(begin), "A number runs into a name", "separate them by a space");
  }
  Token token{.kind = is_float ? TokenKind::kFloat : TokenKind::kInt, .span = span_from(begin)};
  const char* first = text_.data() + begin;
  const char* last = text_.data() + at_;
  const std::from_chars_result parsed = is_float ? std::from_chars(first, last, token.number)
                                                 : std::from_chars(first, last, token.magnitude);
  if (parsed.ec == std::errc::result_out_of_range || token.magnitude > kMagnitudeMax) {
    return is_float ? problem(token.span,
                              "A float literal is out of range",
                              "at most about 1.8e308, at least 5e-324")
                    : problem(token.span,
                              "An integer literal is out of range",
                              "the largest is 9223372036854775807; write a float as `1e19`");
  }
  if (parsed.ec != std::errc{} || parsed.ptr != last) {
    return problem(
        token.span, "A number is malformed", "write digits after the exponent, as `1e5`");
  }
  return token;
}

std::expected<Token, Diagnostic> Lexer::string() {
  const std::size_t begin = at_;
  const char quote = peek();
  ++at_;
  Token token{.kind = TokenKind::kString};
  for (;;) {
    if (at_ == text_.size() || peek() == '\n') {
      return problem(
          span_from(begin), "A string has no end", std::string("close it with ") + quote);
    }
    const char c = peek();
    if (c == quote) break;
    if (c == '\\') {
      if (std::expected<void, Diagnostic> done = escape(token.text); !done) {
        return unexpected(std::move(done).error());
      }
      continue;
    }
    token.text += c;
    ++at_;
  }
  ++at_;
  token.span = span_from(begin);
  return token;
}

std::expected<void, Diagnostic> Lexer::escape(std::string& out) {
  static constexpr std::string_view kNames = "nrt\\\"'/";
  static constexpr std::string_view kMeanings = "\n\r\t\\\"'/";
  const std::size_t begin = at_;
  ++at_;
  const char c = peek();
  if (const std::size_t known = kNames.find(c); known != std::string_view::npos) {
    out += kMeanings[known];
    ++at_;
    return {};
  }
  if (c != 'u') {
    if (at_ < text_.size()) ++at_;
    return problem(span_from(begin),
                   "A string has an unknown escape",
                   "known are \\n \\r \\t \\\\ \\\" \\' \\/ and \\u with four hex digits");
  }
  std::expected<std::uint32_t, Diagnostic> first = unicode_escape(begin);
  if (!first) return unexpected(std::move(first).error());
  std::uint32_t code_point = *first;
  if (code_point >= 0xD800U && code_point < 0xDC00U && peek() == '\\' && peek(1) == 'u') {
    ++at_;
    std::expected<std::uint32_t, Diagnostic> second = unicode_escape(begin);
    if (!second) return unexpected(std::move(second).error());
    if (*second >= 0xDC00U && *second < 0xE000U) {
      code_point = 0x10000U + ((code_point - 0xD800U) << 10U) + (*second - 0xDC00U);
    }
  }
  if (code_point >= 0xD800U && code_point < 0xE000U) {
    return problem(span_from(begin), "A string has half a surrogate pair", "write both halves");
  }
  append_utf8(code_point, out);
  return {};
}

std::expected<std::uint32_t, Diagnostic> Lexer::unicode_escape(std::size_t begin) {
  static constexpr std::size_t kDigits = 4;
  ++at_;
  std::uint32_t code_unit = 0;
  const std::string_view digits = text_.substr(std::min(at_, text_.size()), kDigits);
  const std::from_chars_result parsed =
      std::from_chars(digits.data(), digits.data() + digits.size(), code_unit, 16);
  if (digits.size() != kDigits || parsed.ec != std::errc{} ||
      parsed.ptr != digits.data() + digits.size()) {
    return problem(span_from(begin), "A \\u escape is malformed", "write four hex digits: \\u00e9");
  }
  at_ += kDigits;
  return code_unit;
}

std::expected<Token, Diagnostic> Lexer::quoted_name() {
  const std::size_t begin = at_;
  const std::size_t end = text_.find_first_of("`\n", begin + 1);
  if (end == std::string_view::npos || text_[end] == '\n' || end == begin + 1) {
    ++at_;
    return problem(span_from(begin),
                   "A quoted name is empty or has no end",
                   "write `name` between backquotes");
  }
  at_ = end + 1;
  return Token{.kind = TokenKind::kQuotedName,
               .span = span_from(begin),
               .text = std::string(text_.substr(begin + 1, end - begin - 1))};
}

std::expected<Token, Diagnostic> Lexer::dollar_name() {
  const std::size_t begin = at_;
  ++at_;
  if (!is_name_start(peek())) {
    return problem(span_from(begin), "A name must follow `$`", "write `$weight` or `$req.country`");
  }
  const std::string_view name = take_name();
  if (name != kRequestPrefix) {
    return Token{.kind = TokenKind::kParam, .span = span_from(begin), .text = std::string(name)};
  }
  if (peek() != '.' || !is_name_start(peek(1))) {
    return problem(span_from(begin), "`$req` needs a field", "write `$req.name`");
  }
  ++at_;
  const std::string_view field = take_name();
  return Token{.kind = TokenKind::kRequest, .span = span_from(begin), .text = std::string(field)};
}

Token Lexer::name() {
  const std::size_t begin = at_;
  const std::string_view text = take_name();
  return {.kind = find_keyword(text).value_or(TokenKind::kName),
          .span = span_from(begin),
          .text = std::string(text)};
}

std::expected<Token, Diagnostic> Lexer::punctuation() {
  const std::size_t begin = at_;
  const std::string_view rest = text_.substr(at_);
  for (const auto& [text, hint] : kForeign) {
    if (!rest.starts_with(text) || (text == "!" && rest.starts_with("!="))) continue;
    at_ += text.size();
    return problem(span_from(begin),
                   "Not an operator of this language: `" + std::string(text) + "`",
                   std::string(hint));
  }
  for (const Punctuation& known : kPunctuation) {
    if (!rest.starts_with(known.text)) continue;
    at_ += known.text.size();
    return Token{.kind = known.kind, .span = span_from(begin)};
  }
  ++at_;
  return problem(span_from(begin), "An unexpected character");
}

std::expected<RegexToken, Diagnostic> Lexer::next_regex() {
  skip_space();
  const std::size_t begin = at_;
  if (peek() != '/') {
    if (at_ < text_.size()) ++at_;
    return problem(span_from(begin), "A regex must follow `~`", "write `name ~ /^news/i`");
  }
  ++at_;
  RegexToken token;
  for (; peek() != '/'; ++at_) {
    if (at_ >= text_.size() || peek() == '\n') {
      return problem(span_from(begin), "A regex has no end", "close it with `/`");
    }
    if (peek() != '\\') {
      token.pattern += peek();
      continue;
    }
    ++at_;
    if (at_ >= text_.size() || peek() == '\n') {
      return problem(span_from(begin), "A regex has no end", "close it with `/`");
    }
    if (peek() != '/') token.pattern += '\\';
    token.pattern += peek();
  }
  ++at_;
  token.flags = take_name();
  token.span = span_from(begin);
  return token;
}

}  // namespace millrace::expr
