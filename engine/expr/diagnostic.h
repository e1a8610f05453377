#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace millrace::expr {

/// A range of bytes of the expression text.
struct SourceSpan {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};

/// A place as an editor shows it: both count from 1, columns in code points.
struct LineColumn {
  std::size_t line = 1;
  std::size_t column = 1;
};

enum class Severity : std::uint8_t { kError, kWarning };

/// One problem of one expression: what is wrong, where, and what might help.
struct Diagnostic {
  Severity severity = Severity::kError;
  SourceSpan span;
  std::string message;
  std::string hint;  ///< empty when there is nothing to suggest
};

/// Gives the line and column of a byte; an offset past the end means the end.
[[nodiscard]] LineColumn locate(std::string_view text, std::size_t offset);

/// Gives the place as `line:column`.
[[nodiscard]] std::string to_string(LineColumn place);

/// Gives the message, the source line with a caret below the place, and the hint. A long line is
/// cut around the caret; bytes that are not printable UTF-8 are replaced.
[[nodiscard]] std::string render(std::string_view text, const Diagnostic& diagnostic);

/// Makes one kInvalidExpression of the errors among `diagnostics` (at least one), all rendered, at
/// the place of the first.
[[nodiscard]] base::Error to_error(std::string_view text, std::span<const Diagnostic> diagnostics);

}  // namespace millrace::expr
