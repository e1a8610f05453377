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
/// Takes what Redis takes as a score: also `inf`, `-inf` and a `+` in front; refuses `nan`.
[[nodiscard]] std::optional<double> parse_score(std::string_view text);
/// Takes `true`, `false`, `1` and `0`.
[[nodiscard]] std::optional<bool> parse_bool(std::string_view text);

/// The error for an item that was wanted as an id and is none; `what` says what it is an item of.
[[nodiscard]] base::Error not_int64(std::string_view what,
                                    std::string_view key,
                                    std::size_t position,
                                    std::string_view value);
/// The same for a member of a set, which has no position.
[[nodiscard]] base::Error member_not_int64(std::string_view key, std::string_view value);
/// The error for a set that has more members than a batch takes.
[[nodiscard]] base::Error set_too_large(std::string_view key,
                                        std::size_t count,
                                        std::int64_t count_max);

}  // namespace millrace::stores
