#pragma once

#include <string>

#include "base/result.h"
#include "host/project.h"
#include "plan/compiled_plan.h"

// Pictures of plans. Nodes stand in the order in which rows flow; an edge is "waits for".

namespace millrace::rankd {

/// A picture for Graphviz.
[[nodiscard]] base::Result<std::string> plan_to_dot(const plan::CompiledPlanRef& plan,
                                                    const host::Project& project);
/// A picture for Markdown pages that draw Mermaid.
[[nodiscard]] base::Result<std::string> plan_to_mermaid(const plan::CompiledPlanRef& plan,
                                                        const host::Project& project);
/// A picture for browsers: nodes in layers from left to right, outputs with a thick border.
[[nodiscard]] std::string plan_to_svg(const plan::CompiledPlan& plan);

}  // namespace millrace::rankd
