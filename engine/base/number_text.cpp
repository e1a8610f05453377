// Scores are most of what an answer says, and std::to_chars takes 100 ns for one of them. The
// digits come from fmt's Dragonbox here, in a fifth of that; whatever is not a plain decimal
// fraction is left to std::to_chars. See docs/adr/0015-text-of-doubles.md.
#include "base/number_text.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

namespace millrace::base {

char* write_double(char* to, double number) {
  char* const end = to + kDoubleBytesMax;
  const double size = std::fabs(number);
  // From here on up an exponent may be shorter than zeros; below, whole numbers are their digits.
  constexpr double kWholeMax = 1e5;
  if (size < kWholeMax && size == std::trunc(size)) {
    if (std::signbit(number)) *to++ = '-';
    return std::to_chars(to, end, static_cast<std::uint32_t>(size)).ptr;
  }
  const auto decimal = fmt::detail::dragonbox::to_decimal(size);
  // Copied in pieces of fixed size, more than is needed: a call costs more than the bytes.
  constexpr std::size_t kDigitsMax = 20;
  char digits[2 * kDigitsMax];
  const char* const digits_end =
      std::to_chars(digits, digits + kDigitsMax, std::uint64_t{decimal.significand}).ptr;
  const auto digit_count = static_cast<std::ptrdiff_t>(digits_end - digits);
  const std::ptrdiff_t fraction_count = -std::ptrdiff_t{decimal.exponent};
  // Another zero in front would make the form with an exponent the shorter one.
  const std::ptrdiff_t fraction_max = digit_count == 1 ? 3 : digit_count + 3;
  if (fraction_count <= 0 || fraction_count > fraction_max) {
    return std::to_chars(to, end, number).ptr;
  }
  if (std::signbit(number)) *to++ = '-';
  const std::ptrdiff_t whole_count = digit_count - fraction_count;
  if (whole_count > 0) {
    std::memcpy(to, digits, kDigitsMax);
    to += whole_count;
    *to++ = '.';
    std::memcpy(to, digits + whole_count, kDigitsMax);
    return to + fraction_count;
  }
  constexpr std::string_view kZeros = "0.00000";
  kZeros.copy(to, kZeros.size());
  to += 2 - whole_count;
  std::memcpy(to, digits, kDigitsMax);
  return to + digit_count;
}

}  // namespace millrace::base
