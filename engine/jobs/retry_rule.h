#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "rank/rank_error.h"

namespace millrace::jobs {

/// Whether an error may be gone the next time (JOB7).
[[nodiscard]] constexpr bool may_pass(rank::RankErrorCode code) {
  return code == rank::RankErrorCode::kEndpointUnavailable ||
         code == rank::RankErrorCode::kNodeTimeout || code == rank::RankErrorCode::kBusy;
}

/// How long a line waits after its n-th delivery failed: 1 s, 2 s, 4 s, …, at most 60 s.
[[nodiscard]] constexpr base::Duration pause_after(std::uint64_t delivery) {
  const std::uint64_t doublings = std::min<std::uint64_t>(delivery > 0 ? delivery - 1 : 0, 6);
  return std::min<base::Duration>(std::chrono::seconds(1LL << doublings), std::chrono::seconds(60));
}

}  // namespace millrace::jobs
