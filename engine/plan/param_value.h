#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "expr/compiled_expr.h"

namespace millrace::plan {

/// One key of an order: `score desc`.
struct OrderKey {
  std::string key;
  bool descending = false;
};

/// A column under another name: rows get `to` with the values of `from`.
struct KeyMove {
  std::string to;
  std::string from;
  friend bool operator==(const KeyMove&, const KeyMove&) = default;
};

/// Index of an endpoint in `Registry::endpoints()`.
struct EndpointId {
  std::uint32_t index = 0;
};

/// Index of an input in `CompiledNode::inputs`. A param of type node becomes one.
struct InputIndex {
  std::uint32_t index = 0;
};

/// A param of a node after checking: what its spec's type says, or `std::monostate` for an optional
/// param that was left out and has no default.
using ParamValue = std::variant<std::monostate,
                                bool,
                                std::int64_t,
                                double,
                                std::string,
                                std::vector<std::int64_t>,
                                std::vector<double>,
                                std::vector<std::string>,
                                std::vector<OrderKey>,
                                std::vector<KeyMove>,
                                EndpointId,
                                InputIndex,
                                expr::CompiledExprRef>;

}  // namespace millrace::plan
