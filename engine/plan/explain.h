#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/formats/json_writer.h"
#include "plan/check/columns.h"
#include "plan/compiled_plan.h"
#include "plan/registry/registry.h"

namespace millrace::plan {

/// Number of rows that estimates assume for every node, since only a run knows the real number.
inline constexpr std::int64_t kAssumedRows = 100;

/// Estimates the time of a node's body: what the plan declares, else what the task states for
/// `kAssumedRows` rows.
[[nodiscard]] base::Duration estimate_cost(const CompiledNode& node);

/// The chain of nodes from a source to an output with the highest estimated cost. Fallback nodes,
/// which run only after a failure, are not part of it.
struct EstimatedPath {
  std::vector<std::uint32_t> nodes;
  base::Duration cost{};
};
[[nodiscard]] EstimatedPath estimate_critical_path(const CompiledPlan& plan);

/// Gives for each node the estimated time from its start to the end of the plan, on the dearest way
/// there. Among nodes of the same priority that are ready together, the scheduler starts the one
/// with the longest such time first; in a running process it uses measured costs.
[[nodiscard]] std::vector<base::Duration> estimate_time_to_end(const CompiledPlan& plan);

/// Finds the nodes that can make a request fail: their body can fail or wait too long, and they
/// have no fallback. If there are none, the plan always answers. Judged by the plan's structure
/// alone; says nothing about CPU time.
[[nodiscard]] std::vector<std::uint32_t> nodes_that_can_fail(const CompiledPlan& plan);

/// Describes a compiled plan as text or JSON.
/// Threading: not shared. Lifetime: borrows the plan and the registry.
class PlanExplanation {
 public:
  PlanExplanation(const CompiledPlan& plan, const Registry& registry)
      : plan_(plan), analysis_(registry) {}

  [[nodiscard]] std::string to_text() const;
  void write_json(base::JsonWriter& json) const;

 private:
  [[nodiscard]] std::vector<std::string> reads(const CompiledNode& node) const;
  [[nodiscard]] std::vector<std::string> writes(const CompiledNode& node) const;
  void write_node(base::JsonWriter& json,
                  const CompiledNode& node,
                  base::Duration time_to_end) const;

  const CompiledPlan& plan_;
  ColumnAnalysis analysis_;
};

}  // namespace millrace::plan
