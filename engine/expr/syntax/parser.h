#pragma once

#include <expected>
#include <string_view>

#include "expr/syntax/diagnostic.h"
#include "expr/syntax/limits.h"
#include "expr/syntax/tree.h"

namespace millrace::expr {

/// Reads expression text into a tree without types, or says what is wrong with it. Unknown
/// functions are left to the type checker, so that they are reported together with unknown names.
///
/// Precedence, loosest first: `or`; `and`; `not`; comparison, `in`, `~`, `is null` (one, no chain);
/// `+ -`; `* / %`; unary `-`.
[[nodiscard]] std::expected<Tree, Diagnostic> parse(std::string_view text, const Limits& limits);

}  // namespace millrace::expr
