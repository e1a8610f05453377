#pragma once

#include <string>

namespace millrace::graph {

/// Gives the JSON Schema (draft 2020-12) of the file format, as one line, for editors. It is
/// printed from the same fields as the reader uses. It covers what one field can say by itself; ids
/// that refer to each other, ports and cycles are for `graph validate`.
[[nodiscard]] std::string schema_text();

}  // namespace millrace::graph
