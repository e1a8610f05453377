#pragma once

#include <string>

#include "expr/syntax/tree.h"

namespace millrace::expr {

/// Writes a tree as canonical text: one space around operators, only the parentheses it needs,
/// double quotes. Parsing the text again gives the same tree.
[[nodiscard]] std::string to_text(const Tree& tree);

}  // namespace millrace::expr
