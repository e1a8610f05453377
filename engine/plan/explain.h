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

/// Rows that an estimate assumes where only running the plan can tell.
inline constexpr std::int64_t kAssumedRows = 100;

/// What a body costs: as declared in the plan, else as the task says for `kAssumedRows` rows.
[[nodiscard]] base::Duration estimate_cost(const CompiledNode& node);

/// The costliest chain from a source to an output, by estimates; lazy fallbacks do not count.
struct EstimatedPath {
  std::vector<std::uint32_t> nodes;
  base::Duration cost{};
};
[[nodiscard]] EstimatedPath estimate_critical_path(const CompiledPlan& plan);

/// Nodes that can fail a request: they can wait or fail, and neither they nor what stands in for
/// them gives an answer then. Empty: the plan always answers. Structural; claims nothing of CPU
/// time.
[[nodiscard]] std::vector<std::uint32_t> nodes_that_can_fail(const CompiledPlan& plan);

/// Tells what the compiler made of a plan.
/// Lifetime: borrows both.
class PlanExplanation {
 public:
  PlanExplanation(const CompiledPlan& plan, const Registry& registry)
      : plan_(plan), analysis_(registry) {}

  [[nodiscard]] std::string to_text() const;
  void write_json(base::JsonWriter& json) const;

 private:
  [[nodiscard]] std::vector<std::string> reads(const CompiledNode& node) const;
  [[nodiscard]] std::vector<std::string> writes(const CompiledNode& node) const;
  void write_node(base::JsonWriter& json, const CompiledNode& node) const;

  const CompiledPlan& plan_;
  ColumnAnalysis analysis_;
};

}  // namespace millrace::plan
