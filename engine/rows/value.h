#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

namespace millrace::rows {

/// One cell: null (`std::monostate`), or a value of one of the four column types. For output, tests
/// and constants; never for loops over rows.
/// Lifetime: text borrows from the dictionary of its column.
using Value = std::variant<std::monostate, std::int64_t, double, bool, std::string_view>;

}  // namespace millrace::rows
