#include "trace/trace_text.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/format.h"

namespace millrace::trace {
namespace {

/// Gives how many bytes the character at `index` takes; 1 for a byte that starts no character.
std::size_t character_length(std::string_view text, std::size_t index) {
  const auto first = static_cast<std::uint8_t>(text[index]);
  if (first < 0xc2 || first > 0xf4) return 1;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (text.size() - index < length) return 1;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<std::uint8_t>(text[index + i]) & 0xc0) != 0x80) return 1;
  }
  return length;
}

using Characters = std::vector<std::string_view>;

Characters cut(std::string_view text, std::size_t columns, bool use_unicode) {
  Characters characters;
  for (std::size_t i = 0; i < text.size() && characters.size() <= columns;) {
    const std::size_t length = character_length(text, i);
    const bool is_shown = length > 1 ? use_unicode : text[i] >= 0x20 && text[i] < 0x7f;
    characters.push_back(is_shown ? text.substr(i, length) : "?");
    i += length;
  }
  if (characters.size() > columns) {
    characters.resize(columns);
    if (columns > 0) characters.back() = use_unicode ? "…" : "~";
  }
  return characters;
}

std::string join(const Characters& characters) {
  std::string joined;
  for (const std::string_view character : characters) joined += character;
  return joined;
}

}  // namespace

std::string cut_columns(std::string_view text, std::size_t columns, bool use_unicode) {
  return join(cut(text, columns, use_unicode));
}

std::string fit_columns(std::string_view text, std::size_t columns, bool use_unicode) {
  const Characters characters = cut(text, columns, use_unicode);
  return join(characters) + std::string(columns - characters.size(), ' ');
}

std::string format_duration(base::Duration duration) {
  const std::int64_t ns = duration.count();
  if (ns < 1'000) return base::format("{} ns", ns);
  if (ns < 1'000'000) return base::format("{}.{:03} us", ns / 1'000, ns % 1'000);
  if (ns < 1'000'000'000) {
    return base::format("{}.{:03} ms", ns / 1'000'000, ns / 1'000 % 1'000);
  }
  return base::format("{}.{:03} s", ns / 1'000'000'000, ns / 1'000'000 % 1'000);
}

}  // namespace millrace::trace
