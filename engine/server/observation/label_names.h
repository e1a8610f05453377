#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "rank/rank_error.h"
#include "runtime/topology/node.h"

namespace millrace::server {

// In the order of their enumerators.
inline constexpr std::array<std::string_view, 7> kOutcomeNames{
    "ok", "degraded", "error", "deadline", "refused", "cancelled", "invalid"};
inline constexpr std::array<std::string_view, 4> kPriorityNames{
    "high", "normal", "low", "background"};

/// Gives `ok`, `degraded`, `error`, `deadline`, `refused`, `cancelled` or `invalid`.
[[nodiscard]] constexpr std::string_view outcome_name(rank::RankOutcome outcome) {
  return kOutcomeNames[static_cast<std::size_t>(outcome)];
}
/// Gives `high`, `normal`, `low` or `background`.
[[nodiscard]] constexpr std::string_view priority_name(runtime::Priority priority) {
  return kPriorityNames[static_cast<std::size_t>(priority)];
}

}  // namespace millrace::server
