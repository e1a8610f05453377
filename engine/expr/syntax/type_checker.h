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

/// A name that an expression reads, once however often it stands there.
struct NameUse {
  NameSource source = NameSource::kKey;
  std::string name;
  NameInfo info;
};

/// Gives every node its type, resolves names and functions, and appends to `diagnostics` everything
/// that is wrong, not only the first thing, and warnings. `expected` is the type the whole must
/// have: an int becomes a float, and a bare `null` takes it. Returns the names used, in order of
/// first use; Node::name_index points there. The tree is good if no error was appended.
[[nodiscard]] std::vector<NameUse> check_types(Tree& tree,
                                               const Scope& scope,
                                               std::optional<rows::ColumnType> expected,
                                               std::vector<Diagnostic>& diagnostics);

}  // namespace millrace::expr
