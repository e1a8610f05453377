#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace millrace::graph {

/// The longest duration that a file may give, and the time at which a run in virtual time ends at
/// the latest: 73 years. So sums of three such times have no overflow.
inline constexpr base::Duration kDurationMax{INT64_MAX / 4};

/// Reads a whole or decimal number followed by `ns`, `us`, `ms`, `s` or `m`, as `20ms` or `1.5s`.
/// Gives nothing for anything else, a negative number, or more than `kDurationMax`.
[[nodiscard]] std::optional<base::Duration> find_duration(std::string_view text);

/// So many milliseconds, or the duration that is next to them if 64 bits of nanoseconds cannot hold
/// them.
[[nodiscard]] base::Duration from_milliseconds(std::int64_t count);

/// Gives the shortest such text: `20ms`, `1500us`, `0ms`.
[[nodiscard]] std::string duration_text(base::Duration duration);

}  // namespace millrace::graph
