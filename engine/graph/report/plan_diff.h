#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/formats/json_writer.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/diagnostic.h"

namespace millrace::graph {

/// What was added, removed and changed from one plan to another, by id.
struct PlanDifference {
  std::vector<std::string> added;
  std::vector<std::string> removed;
  /// Regions: other components, domain, stage or priority, or another place in the order relative
  /// to those that both plans have. Edges and lanes: another definition.
  std::vector<std::string> changed;
  [[nodiscard]] bool empty() const { return added.empty() && removed.empty() && changed.empty(); }
};

struct PlanDiff {
  PlanDifference regions;
  PlanDifference edges;
  PlanDifference lanes;
  PlanDifference diagnostics;  ///< as `code path`; nothing is `changed`
};

/// A compiled graph with its warnings. Lifetime: borrows both.
struct ReportedPlan {
  const CompiledGraph& graph;
  const DiagnosticReport& report;
};

[[nodiscard]] PlanDiff compare_plans(const ReportedPlan& before, const ReportedPlan& after);
void write_diff_json(const PlanDiff& diff, base::JsonWriter& json);
[[nodiscard]] std::string diff_text(const PlanDiff& diff);

}  // namespace millrace::graph
