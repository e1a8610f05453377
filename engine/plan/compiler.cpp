#include "plan/compiler.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"
#include "plan/artifact/artifact.h"
#include "plan/artifact/artifact_reader.h"
#include "plan/check/checker.h"
#include "plan/check/columns.h"
#include "plan/check/draft.h"
#include "plan/check/resolver.h"
#include "plan/check/use_checker.h"
#include "plan/passes/node_links.h"
#include "plan/passes/passes.h"

namespace millrace::plan {

namespace {

/// Marks the nodes that outputs need, and the viewers: whether an expression needs a viewer is only
/// known once it has been compiled.
std::vector<bool> nodes_to_number(const CompiledPlan& plan, const CompileOptions& options) {
  if (!options.remove_dead_nodes) return std::vector<bool>(plan.nodes.size(), true);
  std::vector<std::uint32_t> roots = plan.outputs;
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    const TaskSpec* task = plan.nodes[i].task;
    if (task != nullptr && task->op == "viewer") roots.push_back(i);
  }
  return reachable_from(plan, roots);
}

}  // namespace

std::expected<CompiledPlanRef, ProblemReport> compile_plan(std::string_view artifact_bytes,
                                                           const Registry& registry,
                                                           const TaskCatalog& catalog,
                                                           const CompileOptions& options) {
  ProblemReport report;
  base::JsonDocument document;
  if (!read_artifact_json(artifact_bytes, options.limits, document, report)) {
    return std::unexpected(std::move(report));
  }
  base::DocumentReporter reporter(document, report, reader_codes());
  const CheckContext context{.registry = registry, .catalog = catalog, .reporter = reporter};
  const Artifact artifact = read_artifact(document, options.limits, reporter);
  Draft draft = resolve(artifact, context);
  const ColumnAnalysis analysis(registry);
  check_columns(draft, nodes_to_number(draft.plan, options), analysis, context);
  if (!report.has_errors()) check_use(draft, analysis, context);
  if (report.has_errors()) return std::unexpected(std::move(report));

  CompiledPlan plan = std::move(draft.plan);
  plan.warnings = std::move(report).release();
  plan.digest = base::sha256_digest(artifact_bytes);
  run_passes(plan, {.analysis = analysis, .catalog = catalog, .options = options});
  return std::make_shared<const CompiledPlan>(std::move(plan));
}

}  // namespace millrace::plan
