#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"

// Text of a store to typed values. All of it must be the value: no spaces, no tail.

namespace millrace::stores {

[[nodiscard]] std::optional<std::int64_t> parse_int64(std::string_view text);
/// Takes decimal and exponent forms; refuses what is not finite.
[[nodiscard]] std::optional<double> parse_float64(std::string_view text);
/// Takes `true`, `false`, `1` and `0`.
[[nodiscard]] std::optional<bool> parse_bool(std::string_view text);

/// The error for an item of a list that was wanted as an id and is none.
[[nodiscard]] base::Error not_int64(std::string_view key,
                                    std::size_t position,
                                    std::string_view value);

}  // namespace millrace::stores
