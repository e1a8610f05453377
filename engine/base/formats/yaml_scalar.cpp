#include "base/formats/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

namespace millrace::base {
namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

std::size_t skip_digits(std::string_view& text) {
  const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(count);
  return count;
}

std::string_view without_sign(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text;
}

bool is_decimal(std::string_view text) {
  text = without_sign(text);
  return skip_digits(text) > 0 && text.empty();
}

/// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
bool is_float(std::string_view text) {
  text = without_sign(text);
  const std::size_t whole = skip_digits(text);
  std::size_t fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = skip_digits(text);
  }
  if (whole + fraction == 0) return false;
  if (text.starts_with('e') || text.starts_with('E')) {
    text = without_sign(text.substr(1));
    if (skip_digits(text) == 0) return false;
  }
  return text.empty();
}

YamlScalar read_digits(std::string_view digits, int base, bool is_negative) {
  std::uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (error != std::errc()) return YamlNumberRange{};
  constexpr auto kIntMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (is_negative) {
    if (magnitude > kIntMax + 1) return YamlNumberRange{};
    return static_cast<std::int64_t>(~magnitude + 1);
  }
  if (magnitude > kIntMax) return magnitude;
  return static_cast<std::int64_t>(magnitude);
}

bool is_prefixed(std::string_view text, std::string_view prefix, std::string_view digits) {
  return text.size() > prefix.size() && text.starts_with(prefix) &&
         text.find_first_not_of(digits, prefix.size()) == std::string_view::npos;
}

}  // namespace

YamlScalar read_yaml_scalar(std::string_view text) {
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return std::monostate{};
  if (is_one_of(text, {"true", "True", "TRUE"})) return true;
  if (is_one_of(text, {"false", "False", "FALSE"})) return false;
  if (is_decimal(text)) return read_digits(without_sign(text), 10, text.starts_with('-'));
  if (is_prefixed(text, "0x", "0123456789abcdefABCDEF")) {
    return read_digits(text.substr(2), 16, false);
  }
  if (is_prefixed(text, "0o", "01234567")) return read_digits(text.substr(2), 8, false);
  if (is_one_of(without_sign(text), {".inf", ".Inf", ".INF"}) ||
      is_one_of(text, {".nan", ".NaN", ".NAN"})) {
    return YamlNumberRange{};
  }
  if (is_float(text)) {
    const double number = std::strtod(std::string(text).c_str(), nullptr);
    if (std::isinf(number)) return YamlNumberRange{};
    return number;
  }
  return text;
}

}  // namespace millrace::base
