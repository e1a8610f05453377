#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/problems/problem_report.h"
#include "base/text_place.h"

namespace millrace::expr {

using base::Severity;
using base::SourceSpan;

/// One problem of one expression: what is wrong, where, and what might help.
struct Diagnostic {
  Severity severity = Severity::kError;
  SourceSpan span;
  std::string message;
  std::string hint;  ///< empty when there is nothing to suggest
};

/// Makes an error at `span` that the caller returns.
[[nodiscard]] inline std::unexpected<Diagnostic> problem(SourceSpan span,
                                                         std::string message,
                                                         std::string hint = {}) {
  return std::unexpected(Diagnostic{Severity::kError, span, std::move(message), std::move(hint)});
}

/// Gives the message, the source line with a caret below the place, and the hint. A long line is
/// cut around the caret; bytes that are not printable UTF-8 are replaced.
[[nodiscard]] std::string render(std::string_view text, const Diagnostic& diagnostic);

/// Makes one kInvalidExpression of the errors among `diagnostics` (at least one), all rendered, at
/// the place of the first.
[[nodiscard]] base::Error to_error(std::string_view text, std::span<const Diagnostic> diagnostics);

}  // namespace millrace::expr
