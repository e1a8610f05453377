#include "naive_value.h"

#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"

namespace millrace::differential {
namespace {

double number_of(const NaiveValue& value) {
  if (const auto* const integer = std::get_if<std::int64_t>(&value))
    return static_cast<double>(*integer);
  return std::get<double>(value);
}

class Walker {
 public:
  Walker(std::string_view text, const NaiveRow& row) : text_(text), row_(row) {}

  NaiveValue whole() {
    NaiveValue value = any_of();
    skip_space();
    MR_CHECK(at_ == text_.size(), std::string(text_));
    return value;
  }

 private:
  // Truth is an integer here, 0 or 1.
  NaiveValue any_of() {
    NaiveValue value = compared();
    while (takes("or")) {
      const NaiveValue other = compared();
      value =
          std::int64_t{std::get<std::int64_t>(value) != 0 || std::get<std::int64_t>(other) != 0};
    }
    return value;
  }

  NaiveValue compared() {
    const NaiveValue left = sum();
    if (takes("is null")) return std::int64_t{is_null(left)};
    const bool is_greater = takes(">");
    if (!is_greater && !takes("!=")) return left;
    const NaiveValue right = sum();
    if (is_null(left) || is_null(right)) return std::int64_t{0};
    return std::int64_t{is_greater ? number_of(left) > number_of(right) : left != right};
  }

  NaiveValue sum() {
    NaiveValue value = product();
    while (takes("+")) value = combined(value, product(), true);
    return value;
  }

  NaiveValue product() {
    NaiveValue value = atom();
    while (takes("*")) value = combined(value, atom(), false);
    return value;
  }

  static NaiveValue combined(const NaiveValue& left, const NaiveValue& right, bool adds) {
    if (is_null(left) || is_null(right)) return {};
    const auto* const a = std::get_if<std::int64_t>(&left);
    const auto* const b = std::get_if<std::int64_t>(&right);
    if (a != nullptr && b != nullptr) return adds ? *a + *b : *a * *b;
    return adds ? number_of(left) + number_of(right) : number_of(left) * number_of(right);
  }

  NaiveValue atom() {
    skip_space();
    if (takes("coalesce(")) {
      NaiveValue value = any_of();
      MR_CHECK(takes(","));
      NaiveValue other = any_of();
      MR_CHECK(takes(")"));
      return is_null(value) ? other : value;
    }
    if (takes("'")) {
      const std::size_t end = text_.find('\'', at_);
      std::string text(text_.substr(at_, end - at_));
      at_ = end + 1;
      return text;
    }
    std::size_t end = at_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 ||
                                  text_[end] == '_' || text_[end] == '.'))
      ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    if (std::isdigit(static_cast<unsigned char>(word.front())) == 0) return value_of(row_, word);
    return word.contains('.') ? NaiveValue(parsed<double>(word))
                              : NaiveValue(parsed<std::int64_t>(word));
  }

  template <class T>
  static T parsed(std::string_view word) {
    T value{};
    std::from_chars(word.data(), word.data() + word.size(), value);
    return value;
  }

  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool takes(std::string_view token) {
    skip_space();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  std::string_view text_;
  const NaiveRow& row_;
  std::size_t at_ = 0;
};

}  // namespace

NaiveValue evaluate_naively(std::string_view text, const NaiveRow& row) {
  return Walker(text, row).whole();
}

}  // namespace millrace::differential
