#include "base/text_place.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/format.h"

namespace millrace::base {

std::string to_string(TextPlace place) { return format("{}:{}", place.line, place.column); }

TextPlace locate(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto is_first_byte = [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  };
  std::string_view line = before.substr(line_start);
  // Nobody sees the byte order mark that a text may begin with.
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (line_start == 0 && line.starts_with(kByteOrderMark)) line.remove_prefix(3);
  return {.line = static_cast<std::uint32_t>(1 + std::ranges::count(before, '\n')),
          .column = static_cast<std::uint32_t>(1 + std::ranges::count_if(line, is_first_byte))};
}

}  // namespace millrace::base
