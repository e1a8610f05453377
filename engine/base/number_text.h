#pragma once

#include <cstddef>

namespace millrace::base {

/// Room that write_double needs; the text itself has at most 24 bytes.
inline constexpr std::size_t kDoubleBytesMax = 48;

/// Writes a finite double as std::to_chars does, byte for byte: the shortest text that reads back
/// to the same bits. Returns the end; there must be room for kDoubleBytesMax.
[[nodiscard]] char* write_double(char* to, double number);

}  // namespace millrace::base
