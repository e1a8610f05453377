#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/text_place.h"

namespace millrace::base {

struct TomlMember;

/// One value of a TOML file. Dates and times, which no setting of ours uses, are kept as the text
/// `std::monostate`: readers refuse them by type.
struct TomlValue {
  using Array = std::vector<TomlValue>;
  using Table = std::vector<TomlMember>;  ///< in the order of the file

  TextPlace place;
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Table> content;

  template <class T>
  [[nodiscard]] const T* find() const {
    return std::get_if<T>(&content);
  }
  /// The member of a table, or nullptr.
  [[nodiscard]] const TomlValue* find_member(std::string_view name) const;
};

struct TomlMember {
  std::string name;
  TextPlace place;  ///< of the name
  TomlValue value;
};

/// Gives the name people see: `date`, `bool`, `int`, `float`, `string`, `array`, `table`.
[[nodiscard]] std::string_view kind_name(const TomlValue& value);

struct TomlProblem {
  TextPlace place;
  std::string message;
};

/// Reads a TOML text of at most `text_bytes_max` bytes; the root is a table.
[[nodiscard]] std::expected<TomlValue, TomlProblem> read_toml(std::string_view text,
                                                              std::size_t text_bytes_max = 1UL
                                                                                           << 20);

}  // namespace millrace::base
