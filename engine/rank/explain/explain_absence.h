#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/formats/json_writer.h"
#include "plan/compiled_plan.h"
#include "rank/explain/explain_ids.h"

namespace millrace::rank {

/// How many lists of one node are named at most.
inline constexpr std::size_t kListsMax = 10;

/// Says where an id that is nowhere in a run could have come from: the nodes whose rows may become
/// candidates, and the store lists that these nodes read.
/// Threading: not shared. Lifetime: borrows the source.
class ExplainAbsence {
 public:
  explicit ExplainAbsence(const ExplainSource& source);

  /// Writes the array that stands under `"absent_from"`.
  void write(base::JsonWriter& json) const;

 private:
  void write_node(base::JsonWriter& json, std::uint32_t node) const;

  const ExplainSource& source_;
  const plan::CompiledPlan& plan_;
  std::vector<bool> reaches_output_;  // by node: whether its rows can become candidates unchanged
};

/// Names an input that is no node: `$req.field` or `constant`.
[[nodiscard]] std::string outside_name(const plan::CompiledNode& node, std::size_t input);

}  // namespace millrace::rank
