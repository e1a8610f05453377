#include "base/problems/message_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/format.h"

namespace millrace::base {

namespace {

constexpr std::size_t kQuotedBytesMax = 80;

/// One character of UTF-8 text.
struct Character {
  char32_t code = 0;
  std::size_t byte_count = 0;  ///< 0: the bytes are no character
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {.code = lead, .byte_count = 1};
  const std::size_t count = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < count) return {};
  char32_t code = lead & (0x7FU >> count);
  for (std::size_t index = 1; index < count; ++index) {
    if ((byte(index) & 0xC0) != 0x80) return {};
    code = (code << 6) | (byte(index) & 0x3FU);
  }
  return {.code = code, .byte_count = count};
}

bool is_printable(char32_t code) {
  if (code == U'\n' || code == U'\t') return true;
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return false;
  const bool turns_text = code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
                          (code >= 0x2066 && code <= 0x2069);
  return !turns_text;
}

}  // namespace

std::string shortened(std::string_view text) {
  if (text.size() <= kQuotedBytesMax) return std::string(text);
  std::size_t end = kQuotedBytesMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.byte_count == 0) {
      out += format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (is_printable(character.code)) {
      out += text.substr(0, character.byte_count);
    } else {
      out += format("\\u{:04x}", static_cast<std::uint32_t>(character.code));
    }
    text.remove_prefix(std::max<std::size_t>(character.byte_count, 1));
  }
  return out;
}

std::string one_of(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) {
    text += text.empty() ? "one of " : ", ";
    text += word;
  }
  return text;
}

}  // namespace millrace::base
