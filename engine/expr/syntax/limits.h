#pragma once

#include <cstddef>
#include <cstdint>

namespace millrace::expr {

/// Bounds on the size of an expression. Exceeding one is an error with its own message, so that
/// text from outside can neither exhaust memory or stack nor take long.
struct Limits {
  std::size_t text_bytes_max = std::size_t{64} * 1024;
  /// Parentheses, calls, lists, `not` and unary minus inside each other. `a + b + c` does not nest.
  std::size_t depth_max = 200;
  /// Operators, calls, names and literals, list elements included.
  std::size_t node_count_max = std::size_t{16} * 1024;
  std::size_t list_count_max = 10'000;
  std::size_t regex_bytes_max = std::size_t{4} * 1024;
  std::size_t regex_count_max = 32;
  /// Memory of one compiled regex.
  std::int64_t regex_memory_bytes_max = std::int64_t{1024} * 1024;
  /// Values that are alive at the same time. Only expressions with many shared subexpressions come
  /// near this limit.
  std::size_t live_count_max = 1024;
};

}  // namespace millrace::expr
