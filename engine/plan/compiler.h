#pragma once

#include <expected>
#include <string_view>

#include "plan/artifact/artifact_reader.h"
#include "plan/compiled_plan.h"
#include "plan/problem.h"
#include "plan/registry/registry.h"
#include "plan/task_catalog.h"

namespace millrace::plan {

/// Which passes run, and how large an artifact may be.
struct CompileOptions {
  bool remove_dead_nodes = true;
  bool prune_columns = true;
  bool merge_fetches = true;
  bool merge_filters = true;
  bool use_top_k = true;
  /// Keeps every node apart, so that each row's fate can be told by source node.
  bool for_explain = false;
  ArtifactLimits limits{};

  /// No pass at all.
  [[nodiscard]] static CompileOptions without_passes() {
    return {.remove_dead_nodes = false,
            .prune_columns = false,
            .merge_fetches = false,
            .merge_filters = false,
            .use_top_k = false};
  }
};

/// Turns the bytes of an artifact into a plan that can run, or says everything that is wrong.
/// Threading: any thread. Lifetime: the plan borrows the registry and the catalog.
[[nodiscard]] std::expected<CompiledPlanRef, ProblemReport> compile_plan(
    std::string_view artifact_bytes,
    const Registry& registry,
    const TaskCatalog& catalog,
    const CompileOptions& options = {});

}  // namespace millrace::plan
