#pragma once

#include <cstdint>
#include <vector>

#include "graph/compile/links.h"

namespace millrace::graph {

/// Stands for "in no composite loop".
inline constexpr std::uint32_t kNoLoop = UINT32_MAX;

/// Gives the composite loop of each component, or `kNoLoop`. Reports cycles of
/// immediate edges that no loop declares, and loops that are not exactly one such cycle.
[[nodiscard]] std::vector<std::uint32_t> find_composite_loops(const CheckContext& context,
                                                              const Links& links);

/// Gives the order in which components start: after those they depend on, then as declared.
/// Reports components that do not exist and dependencies that go round.
[[nodiscard]] std::vector<std::uint32_t> plan_start_order(const CheckContext& context,
                                                          const Links& links);

}  // namespace millrace::graph
