#pragma once

#include <string_view>

#include "base/result.h"
#include "bench/capacity/fleet.h"

namespace millrace::bench {

/// Reads what a request costs from JSON; members that are absent keep their usual values. The
/// output of `rankd bench --format json` is such a text. Fails for a number that makes no sense.
[[nodiscard]] base::Result<RequestCost> read_cost(std::string_view json);

}  // namespace millrace::bench
