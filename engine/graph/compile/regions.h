#pragma once

#include <cstdint>
#include <vector>

#include "graph/compile/composite_loops.h"
#include "graph/compile/domains.h"
#include "graph/compile/links.h"
#include "graph/format/words.h"

namespace millrace::graph {

/// One component, or the members of one composite loop.
struct RegionPlan {
  std::uint32_t loop = kNoLoop;
  std::vector<std::uint32_t> members = {};  ///< of a loop: in the order in which it lists them
  PriorityClass priority = PriorityClass::kNormal;
  std::uint32_t domain = 0;
  std::uint32_t stage = 0;
};

struct Regions {
  std::vector<RegionPlan> order;                   ///< the order in which an epoch walks them
  std::vector<std::uint32_t> of_component;         ///< index into `order`
  std::vector<std::vector<std::uint32_t>> stages;  ///< regions of each stage; domain by domain
};

/// Finds the cycles of immediate edges, demands that each is one declared loop, and orders what is
/// left. The result is of use only if nothing was reported.
///
/// Order: among the regions whose predecessors are placed, the one of the highest class, then the
/// one declared first (a loop counts where its first declared member is). Stages: the order of a
/// domain's regions cut greedily into runs of which no region depends on another.
[[nodiscard]] Regions plan_regions(const CheckContext& context,
                                   const Links& links,
                                   const Domains& domains);

}  // namespace millrace::graph
