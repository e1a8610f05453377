#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace millrace::differential {

/// A value of a row; the first alternative is null.
using NaiveValue = std::variant<std::monostate, std::int64_t, double, std::string>;

/// A row as a table of its values, `id` included. What is not there is null.
using NaiveRow = std::map<std::string, NaiveValue, std::less<>>;
using NaiveRows = std::vector<NaiveRow>;

[[nodiscard]] inline NaiveValue value_of(const NaiveRow& row, std::string_view key) {
  const auto found = row.find(key);
  return found == row.end() ? NaiveValue() : found->second;
}
[[nodiscard]] inline bool is_null(const NaiveValue& value) { return value.index() == 0; }

/// Computes an expression for one row by walking its text. Knows what drawn plans use: keys,
/// numbers, texts in single quotes, `+`, `*`, `>`, `!=`, `or`, `is null` and `coalesce`.
[[nodiscard]] NaiveValue evaluate_naively(std::string_view text, const NaiveRow& row);

}  // namespace millrace::differential
