#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "rows/column.h"

namespace millrace::expr {

/// Where a name in an expression gets its value.
enum class NameSource : std::uint8_t {
  kKey,      ///< `score`: a column of the rows
  kParam,    ///< `$weight`: a registered parameter
  kRequest,  ///< `$req.country`: a field of the request
  kViewer,   ///< `viewer.country`: a field of the one viewer row
};

inline constexpr std::size_t kNameSourceCount = 4;

struct NameInfo {
  rows::ColumnType type = rows::ColumnType::kInt64;
  bool nullable = true;
  /// Place of the value in the Bindings of its source; not used for keys, which are found by name.
  std::uint32_t index = 0;
};

/// Which names an expression may use, and their types: the registries as the type checker sees
/// them. Threading: as the implementation says. Lifetime: used during compilation only.
class Scope {
 public:
  virtual ~Scope() = default;
  [[nodiscard]] virtual std::optional<NameInfo> find_name(NameSource source,
                                                          std::string_view name) const = 0;
  /// All names of a source, for suggestions.
  [[nodiscard]] virtual std::vector<std::string_view> names(NameSource source) const = 0;
};

}  // namespace millrace::expr
