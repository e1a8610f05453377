#pragma once

#include <expected>
#include <string_view>

#include "plan/compile_options.h"
#include "plan/compiled_plan.h"
#include "plan/problem.h"
#include "plan/registry/registry.h"
#include "plan/task_catalog.h"

namespace millrace::plan {

/// Turns the bytes of an artifact into a plan that can run, or reports everything that is wrong.
/// Threading: any thread. Lifetime: the plan borrows the registry and the catalog.
[[nodiscard]] std::expected<CompiledPlanRef, ProblemReport> compile_plan(
    std::string_view artifact_bytes,
    const Registry& registry,
    const TaskCatalog& catalog,
    const CompileOptions& options = {});

}  // namespace millrace::plan
