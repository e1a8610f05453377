#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "expr/syntax/diagnostic.h"
#include "expr/syntax/scope.h"
#include "expr/syntax/tree.h"
#include "rows/column.h"

namespace millrace::expr {

/// A name that an expression reads; listed once, however often the expression reads it.
struct NameUse {
  NameSource source = NameSource::kKey;
  std::string name;
  NameInfo info;
};

/// Gives every node its type and resolves names and functions. Appends every problem, not only the
/// first, and every warning to `diagnostics`. `expected` is the type that the whole expression must
/// have: an int becomes a float, and a bare `null` takes that type. Returns the names used, in
/// order of first use; Node::name_index is an index into them. The tree is correct if no error was
/// appended.
[[nodiscard]] std::vector<NameUse> check_types(Tree& tree,
                                               const Scope& scope,
                                               std::optional<rows::ColumnType> expected,
                                               std::vector<Diagnostic>& diagnostics);

}  // namespace millrace::expr
