#pragma once

#include <optional>
#include <span>
#include <vector>

#include "expr/program/program.h"
#include "expr/syntax/diagnostic.h"
#include "expr/syntax/limits.h"
#include "expr/syntax/tree.h"
#include "expr/syntax/type_checker.h"
#include "rows/column.h"

namespace millrace::expr {

/// Turns a checked tree into a program whose result has `type`: equal subexpressions become one
/// value, conversions become explicit, regexes are compiled. Appends to `diagnostics` the problems
/// that only this step can find: bad regexes, too many regexes, too many values alive at once.
[[nodiscard]] std::optional<Program> lower(const Tree& tree,
                                           rows::ColumnType type,
                                           const Limits& limits,
                                           std::vector<Diagnostic>& diagnostics);

}  // namespace millrace::expr
