#pragma once

#include <string>

#include "plan/registry/registry.h"
#include "rank/call_rights.h"
#include "rank/loaded_plan.h"
#include "rank/plan_set.h"
#include "server/generations/version_catalog.h"

// The pages about plans, as JSON.

namespace millrace::server {

/// All plans by name, with version, digest and number of nodes. With `rights` only those that the
/// caller may use.
[[nodiscard]] std::string plans_page(const rank::PlanSet& plans, const rank::CallRights* rights);
/// One plan: graph, passes, digest, and whether it always answers.
[[nodiscard]] std::string plan_page(const rank::LoadedPlan& plan, const plan::Registry& registry);
/// The versions of a plan and their states. Without a catalog the plan is the only one.
[[nodiscard]] std::string versions_page(const rank::LoadedPlan& plan,
                                        const VersionCatalog* catalog);
/// The same for the versions that are given.
[[nodiscard]] std::string versions_json(std::string_view plan, const PlanVersionsInfo& info);
/// What `rankd explain --format json` prints.
[[nodiscard]] std::string explain_page(const rank::LoadedPlan& plan,
                                       const plan::Registry& registry);

}  // namespace millrace::server
