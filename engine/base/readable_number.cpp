#include "base/readable_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace millrace::base {
namespace {

constexpr int kDigits = 6;
// Outside of these an exponent is easier to read than zeros.
constexpr double kLargest = 1e15;
constexpr double kSmallest = 1e-4;

}  // namespace

std::string readable_number(double number) {
  const double size = std::fabs(number);
  std::array<char, 64> text;
  char* const end = text.data() + text.size();
  if (!std::isfinite(number) || number == 0)
    return {text.data(), std::to_chars(text.data(), end, number).ptr};
  if (size >= kLargest || size < kSmallest) {
    const auto written =
        std::to_chars(text.data(), end, number, std::chars_format::general, kDigits);
    return {text.data(), written.ptr};
  }
  const int whole_digits = static_cast<int>(std::floor(std::log10(size))) + 1;
  const int decimals = std::max(kDigits - whole_digits, 1);
  const auto written = std::to_chars(text.data(), end, number, std::chars_format::fixed, decimals);
  std::string_view out(text.data(), written.ptr);
  while (out.ends_with('0')) out.remove_suffix(1);
  if (out.ends_with('.')) out.remove_suffix(1);
  return std::string(out);
}

}  // namespace millrace::base
