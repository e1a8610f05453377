#pragma once

#include <string_view>
#include <vector>

#include "graph/compile/links.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"

namespace millrace::graph {

/// Whether the lane has threads that no other lane uses.
[[nodiscard]] bool has_own_threads(const LaneSpec& lane);

/// Gives the fields of a lane that are set and have no effect, in the order of the format.
[[nodiscard]] std::vector<std::string_view> advisory_fields(const LaneSpec& lane);

/// What lanes of a type do in this version, by the names that `lane_capabilities` uses. Graphs run
/// in virtual time so far: names of abilities that need threads or a clock are absent.
[[nodiscard]] std::vector<std::string_view> implemented_capabilities(LaneType type);

/// Checks each lane by itself, what components ask of theirs, and the policies of composite loops.
void check_lanes(const CheckContext& context, const Links& links);

}  // namespace millrace::graph
