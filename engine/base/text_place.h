#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace millrace::base {

/// A place in a text as an editor shows it: both count from 1, columns in code points.
struct TextPlace {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  friend bool operator==(const TextPlace&, const TextPlace&) = default;
};

/// A range of a file that a person wrote; lines and columns count from 1.
struct SourceRange {
  std::uint32_t line = 0;  ///< 0: the range is not known
  std::uint32_t column = 0;
  std::uint32_t end_line = 0;
  std::uint32_t end_column = 0;
};

/// A range of bytes of a text.
struct SourceSpan {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};

/// Gives the place as `line:column`.
[[nodiscard]] std::string to_string(TextPlace place);

/// Gives the place of a byte; an offset past the end means the end.
[[nodiscard]] TextPlace locate(std::string_view text, std::size_t offset);

}  // namespace millrace::base
