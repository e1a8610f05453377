#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rank/rank_error.h"
#include "runtime/topology/node.h"

namespace millrace::server {

// In the order of their enumerators.
inline constexpr std::array<std::string_view, 7> kOutcomeNames{
    "ok", "degraded", "error", "deadline", "refused", "cancelled", "invalid"};
inline constexpr std::array<std::string_view, 4> kPriorityNames{
    "high", "normal", "low", "background"};

/// Why a ranking request was refused.
enum class ShedReason : std::uint8_t {
  kLimit,      ///< as many requests as its class may have are under way
  kPlanLimit,  ///< as many of its plan
  kHighWater,
  kDeadline,
  kQuota,
  kDraining,
};
inline constexpr std::array<std::string_view, 6> kShedReasonNames{
    "limit", "plan_limit", "high_water", "deadline", "quota", "draining"};

/// Gives `ok`, `degraded`, `error`, `deadline`, `refused`, `cancelled` or `invalid`.
[[nodiscard]] constexpr std::string_view outcome_name(rank::RankOutcome outcome) {
  return kOutcomeNames[static_cast<std::size_t>(outcome)];
}
/// Gives `high`, `normal`, `low` or `background`.
[[nodiscard]] constexpr std::string_view priority_name(runtime::Priority priority) {
  return kPriorityNames[static_cast<std::size_t>(priority)];
}

}  // namespace millrace::server
