#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "expr/syntax/scope.h"
#include "expr/syntax/tree.h"
#include "rows/rows_fixture.h"

namespace millrace::expr::oracle {

using rows::testing::Cell;

/// What an expression gives for one row.
struct Outcome {
  Cell value;
  bool is_error = false;
};

/// Gives the value of a name for the row in question.
using Lookup = std::function<Cell(NameSource source, std::string_view name)>;

/// Computes one row by walking the checked tree: slow, and as close to the wording of the language
/// reference as code can be. It shares code with the machine only where the reference refers to a
/// library.
[[nodiscard]] Outcome evaluate_row(const Tree& tree, const Lookup& lookup, std::int64_t now_ms);

/// The same for an expression whose result must be a float: an int becomes one.
[[nodiscard]] Outcome as_float(Outcome outcome);

}  // namespace millrace::expr::oracle
