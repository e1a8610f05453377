#pragma once

#include <expected>
#include <span>

#include "rank/loaded_plan.h"
#include "rank/plan_set.h"
#include "rank/rank_error.h"
#include "rank/request.h"

namespace millrace::rank {

/// Gives the variant of a plan that was compiled with the versions of fragments that a request asks
/// for; fragments it does not name keep the plan's own version. The variant's name is the plan's,
/// `@`, and `fragment=version` for each that differs, by name, with commas between.
/// Threading: any thread.
[[nodiscard]] std::expected<LoadedPlan*, RankError> find_variant(
    const PlanSet& plans, LoadedPlan& plan, std::span<const NamedValue> versions);

}  // namespace millrace::rank
