#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace millrace::expr {

/// Counts the code points of UTF-8 text. In other text, counts the bytes that are not continuation
/// bytes.
[[nodiscard]] inline std::int64_t text_length(std::string_view text) {
  return std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

/// Makes A to Z lower case; every other byte stays.
[[nodiscard]] inline std::string text_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace millrace::expr
