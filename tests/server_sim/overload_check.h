#pragma once

#include <cstdint>
#include <optional>

#include "judge.h"

namespace millrace::server_sim {

/// An open loop at three times the capacity, which halves and returns (S31): from 2 s after each
/// change on, goodput is near the capacity, and the limit near capacity times latency.
[[nodiscard]] std::optional<Violation> check_overload(std::uint64_t seed);

}  // namespace millrace::server_sim
