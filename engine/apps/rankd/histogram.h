#pragma once

#include <span>
#include <string>

#include "base/clock.h"

namespace millrace::rankd {

/// Draws how often each latency occurred, for terminals: one line per class from the least to the
/// greatest, each class a fixed factor wider than the one before, at most twelve of them. `sorted`
/// is in ascending order; gives nothing for none.
[[nodiscard]] std::string draw_histogram(std::span<const base::Duration> sorted);

}  // namespace millrace::rankd
