#pragma once

#include <string>

#include "plan/registry/registry.h"
#include "rank/call_rights.h"
#include "rank/loaded_plan.h"
#include "rank/plan_set.h"

// The pages about plans, as JSON.

namespace millrace::server {

/// All plans by name, with version, digest and number of nodes. With `rights` only those that the
/// caller may use.
[[nodiscard]] std::string plans_page(const rank::PlanSet& plans, const rank::CallRights* rights);
/// One plan: graph, passes, digest, and whether it always answers.
[[nodiscard]] std::string plan_page(const rank::LoadedPlan& plan, const plan::Registry& registry);
/// The versions of a plan. One is loaded; it is active.
[[nodiscard]] std::string versions_page(const rank::LoadedPlan& plan);
/// What `rankd explain --format json` prints.
[[nodiscard]] std::string explain_page(const rank::LoadedPlan& plan,
                                       const plan::Registry& registry);

/// The name of a plan's version: what the artifact says, else the first digits of its digest (S28).
[[nodiscard]] std::string version_of(const plan::CompiledPlan& plan);

}  // namespace millrace::server
