#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"

namespace millrace::base {

/// What `parse_duration` accepts, for hints.
inline constexpr std::string_view kDurationHint =
    "a whole number with a unit, as '50ms', '2s' or '500us', at most an hour";

/// Reads `50ms`, `2s` or `500us`: a whole number above 0 with a unit, at most one hour.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);

}  // namespace millrace::base
