#pragma once

#include <algorithm>
#include <functional>
#include <ranges>

namespace millrace::plan {

/// Says whether a range holds a value; `std::ranges::contains`, which libstdc++ 12 lacks.
template <class Range, class Value, class Projection = std::identity>
[[nodiscard]] constexpr bool contains(const Range& range,
                                      const Value& value,
                                      Projection projection = {}) {
  return std::ranges::find(range, value, projection) != std::ranges::end(range);
}

}  // namespace millrace::plan
