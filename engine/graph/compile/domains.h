#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/compile/links.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"

namespace millrace::graph {

/// Lanes that share a counter of epochs.
struct DomainPlan {
  std::string id;
  std::uint32_t rank = 0;
  PaceType pace = PaceType::kReady;
  Duration period{};  ///< grid: the cadence; simulated: time per epoch, may be 0
  std::vector<std::uint32_t> lanes = {};
};

inline constexpr std::uint32_t kNoDomain = UINT32_MAX;

struct Domains {
  std::vector<DomainPlan> domains;         ///< by rank
  std::vector<std::uint32_t> lane_domain;  ///< index into `domains`; kNoDomain: has no components
};

/// Gives the time between two ticks of a fixed_rate lane; 0 if it says nothing.
[[nodiscard]] Duration lane_period(const LaneSpec& lane);

/// Sorts lanes into domains, gives each domain its pace, and reports edges and rates that do not
/// fit: immediate edges between domains, blocking edges in a circle, and several rates on one loop.
[[nodiscard]] Domains plan_domains(const CheckContext& context, const Links& links);

}  // namespace millrace::graph
