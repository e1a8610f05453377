#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace millrace::graph {

/// Reads a whole or decimal number followed by `ns`, `us`, `ms`, `s` or `m`, as `20ms` or `1.5s`.
/// Gives nothing for anything else, a negative number, or what 64 bits of nanoseconds cannot hold.
[[nodiscard]] std::optional<base::Duration> find_duration(std::string_view text);

/// Gives the shortest such text: `20ms`, `1500us`, `0ms`.
[[nodiscard]] std::string duration_text(base::Duration duration);

}  // namespace millrace::graph
