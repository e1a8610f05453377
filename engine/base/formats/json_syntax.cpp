#include "base/formats/json_syntax.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/format.h"

namespace millrace::base {
namespace {

bool is_space(char byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }
bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
bool is_word(char byte) {
  return is_digit(byte) || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         byte == '_' || byte == '$';
}

class MistakeFinder {
 public:
  explicit MistakeFinder(std::string_view text) : text_(text) {}

  std::optional<JsonMistake> find() {
    skip_space();
    if (at_ == text_.size()) return JsonMistake{0, "The text is empty"};
    read_value();
    while (!mistake_ && !open_.empty()) read_next();
    skip_space();
    if (!mistake_ && at_ < text_.size()) refuse("Text after the end of the document");
    return mistake_;
  }

 private:
  void refuse(std::string message) { refuse_at(at_, std::move(message), at_ >= text_.size()); }
  void refuse_at(std::size_t offset, std::string message, bool is_cut_short = false) {
    if (!mistake_) mistake_ = JsonMistake{offset, std::move(message), is_cut_short};
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  // What stands at the current place, for messages.
  [[nodiscard]] std::string here() const {
    if (at_ >= text_.size()) return "the end of the text";
    const char byte = text_[at_];
    if (byte >= ' ' && byte <= '~') return format("'{}'", byte);
    return format("the byte 0x{:02x}", static_cast<unsigned>(static_cast<std::uint8_t>(byte)));
  }

  // After a value inside an object or array: a comma and the next value, or the end.
  void read_next() {
    skip_space();
    const bool in_object = open_.back() == '{';
    const char close = in_object ? '}' : ']';
    if (peek() == close) {
      ++at_;
      open_.pop_back();
      return;
    }
    if (peek() != ',') {
      return refuse(format("Expected ',' or '{}' here, found {}", close, here()));
    }
    const std::size_t comma = at_++;
    skip_space();
    if (peek() == close)
      return refuse_at(comma,
                       format("There is a ',' before the '{}', and nothing after it", close));
    if (in_object) read_key();
    if (!mistake_) read_value();
  }

  void read_key() {
    skip_space();
    if (peek() != '"') {
      const bool is_name = is_word(peek()) || peek() == '\'';
      return refuse(format(
          "Expected the name of a field{}, found {}", is_name ? " in double quotes" : "", here()));
    }
    read_string();
    skip_space();
    if (mistake_) return;
    if (peek() != ':') return refuse(format("Expected ':' after the name, found {}", here()));
    ++at_;
  }

  // Reads a scalar, or the beginning of an object or array up to its first value's end.
  void read_value() {
    while (!mistake_) {
      skip_space();
      const char byte = peek();
      if (byte == '"') return read_string();
      if (byte == '-' || is_digit(byte)) return read_number();
      if (byte != '{' && byte != '[') return read_word();
      const bool in_object = byte == '{';
      ++at_;
      skip_space();
      if (peek() == (in_object ? '}' : ']')) {
        ++at_;
        return;
      }
      open_.push_back(byte);
      if (in_object) read_key();
    }
  }

  void read_word() {
    if (at_ >= text_.size()) return refuse("The text ends where a value must stand");
    if (peek() == '\'') return refuse("Texts stand in double quotes, not in single ones");
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    if (end == at_) return refuse(format("Expected a value, found {}", here()));
    constexpr std::array<std::string_view, 3> kWords{"true", "false", "null"};
    const std::string_view word = text_.substr(at_, end - at_);
    if (std::ranges::find(kWords, word) == kWords.end()) {
      return refuse(
          format("'{}' is no value; texts stand in double quotes, and the only words are "
                 "true, false and null",
                 word.substr(0, 40)));
    }
    at_ = end;
  }

  void read_number() {
    const std::size_t begin = at_;
    if (peek() == '-') ++at_;
    const std::size_t first = at_;
    if (!skip_digits()) return refuse("Expected a digit after '-', found " + here());
    if (text_[first] == '0' && at_ > first + 1)
      return refuse_at(begin, "A number must not begin with 0");
    if (peek() == '.') {
      ++at_;
      if (!skip_digits()) return refuse("Expected a digit after '.', found " + here());
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!skip_digits()) return refuse("Expected a digit in the exponent, found " + here());
    }
    if (is_word(peek())) refuse_at(begin, "Not a number");
  }

  bool skip_digits() {
    const std::size_t begin = at_;
    while (is_digit(peek())) ++at_;
    return at_ != begin;
  }

  void read_string() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') {
      const auto byte = static_cast<std::uint8_t>(text_[at_]);
      if (byte < 0x20)
        return refuse(
            format("A text must not have {} in it; write \\u{:04x}", here(), unsigned{byte}));
      if (byte == '\\' && !skip_escape()) return;
      if (byte != '\\') ++at_;
    }
    if (at_ >= text_.size()) return refuse_at(begin, "This text has no closing quote", true);
    ++at_;
  }

  bool skip_escape() {
    const std::size_t begin = at_++;
    constexpr std::string_view kSimple = "\"\\/bfnrt";
    if (at_ < text_.size() && kSimple.find(text_[at_]) != std::string_view::npos) {
      ++at_;
      return true;
    }
    const std::optional<unsigned> unit = read_unit();
    if (!unit) {
      refuse_at(
          begin, "Not an escape of JSON; a backslash itself is written \\\\", at_ >= text_.size());
      return false;
    }
    // Characters beyond U+FFFF are written as two units, the first from D800 and the second from
    // DC00.
    bool is_pair = *unit < 0xD800 || *unit > 0xDFFF;
    if (*unit >= 0xD800 && *unit < 0xDC00 && peek() == '\\') {
      ++at_;
      const std::optional<unsigned> second = read_unit();
      is_pair = second && *second >= 0xDC00 && *second <= 0xDFFF;
    }
    if (!is_pair)
      refuse_at(begin, "Half of a surrogate pair, which is no character", at_ >= text_.size());
    return is_pair;
  }

  // Reads what follows a backslash: a `u` and four hexadecimal digits.
  std::optional<unsigned> read_unit() {
    if (peek() != 'u') return std::nullopt;
    ++at_;
    unsigned unit = 0;
    for (std::size_t digit = 0; digit < 4; ++digit) {
      const char byte = peek();
      const char letter = static_cast<char>(byte | 0x20);
      if (is_digit(byte)) {
        unit = unit * 16 + static_cast<unsigned>(byte - '0');
      } else if (letter >= 'a' && letter <= 'f') {
        unit = unit * 16 + static_cast<unsigned>(letter - 'a') + 10;
      } else {
        return std::nullopt;
      }
      ++at_;
    }
    return unit;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<char> open_;  // the brackets around the current place
  std::optional<JsonMistake> mistake_;
};

}  // namespace

std::optional<JsonMistake> find_json_mistake(std::string_view text) {
  return MistakeFinder(text).find();
}

}  // namespace millrace::base
