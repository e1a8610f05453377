#include "runtime/trace_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include <fmt/format.h>

namespace millrace::runtime {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t index) {
  return index < text.size() ? static_cast<std::uint8_t>(text[index]) : 0;
}

bool is_continuation(std::uint8_t byte) { return (byte & 0xc0) == 0x80; }

/// Gives the length of the UTF-8 sequence at `index`, or 0 if there is none (RFC 3629, section 4:
/// no overlong forms, no surrogates, nothing above U+10FFFF).
std::size_t sequence_length(std::string_view text, std::size_t index) {
  const std::uint8_t first = byte_at(text, index);
  const std::uint8_t second = byte_at(text, index + 1);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4 || !is_continuation(second)) return 0;
  if (first < 0xe0) return 2;
  if (!is_continuation(byte_at(text, index + 2))) return 0;
  if (first < 0xf0) {
    if (first == 0xe0 && second < 0xa0) return 0;
    return first == 0xed && second > 0x9f ? 0 : 3;
  }
  if (!is_continuation(byte_at(text, index + 3))) return 0;
  if (first == 0xf0 && second < 0x90) return 0;
  return first == 0xf4 && second > 0x8f ? 0 : 4;
}

void append_ascii(std::string& out, char character) {
  if (character == '"' || character == '\\') {
    out += '\\';
    out += character;
  } else if (static_cast<std::uint8_t>(character) < 0x20) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(character));
  } else {
    out += character;
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    if (length == 1) {
      append_ascii(out, text[i]);
    } else if (length == 0) {
      out += "\xef\xbf\xbd";
    } else {
      out += text.substr(i, length);
    }
    i += length == 0 ? 1 : length;
  }
  out += '"';
}

std::string fit_columns(std::string_view text, std::size_t columns, bool use_unicode) {
  std::vector<std::string> characters;
  for (std::size_t i = 0; i < text.size() && characters.size() <= columns;) {
    const std::size_t length = std::max<std::size_t>(sequence_length(text, i), 1);
    const std::uint8_t first = byte_at(text, i);
    const bool is_shown = length > 1 ? use_unicode : first >= 0x20 && first < 0x7f;
    characters.emplace_back(is_shown ? text.substr(i, length) : "?");
    i += length;
  }
  if (characters.size() > columns) {
    characters.resize(columns);
    if (columns > 0) characters.back() = use_unicode ? "…" : "~";
  }
  std::string fitted;
  for (const std::string& character : characters) fitted += character;
  fitted.append(columns - characters.size(), ' ');
  return fitted;
}

std::string format_duration(base::Duration duration) {
  const std::int64_t ns = duration.count();
  if (ns < 1'000) return fmt::format("{} ns", ns);
  if (ns < 1'000'000) return fmt::format("{}.{:03} us", ns / 1'000, ns % 1'000);
  if (ns < 1'000'000'000) {
    return fmt::format("{}.{:03} ms", ns / 1'000'000, ns / 1'000 % 1'000);
  }
  return fmt::format("{}.{:03} s", ns / 1'000'000'000, ns / 1'000'000 % 1'000);
}

}  // namespace millrace::runtime
