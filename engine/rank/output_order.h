#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/compiled_plan.h"
#include "rows/row_set.h"

namespace millrace::rank {

/// The key that the rows of an output were last ordered by.
struct OutputOrder {
  std::uint32_t output = 0;  ///< the node of the plan
  std::string key;
  std::uint32_t writer = plan::kNoPlanNode;  ///< the node that wrote or fetched the key
};

/// Finds the order of the rows of a node; nothing if they were not ordered, or if the key was
/// written again after that.
[[nodiscard]] std::optional<OutputOrder> find_order(const plan::CompiledPlan& plan,
                                                    std::uint32_t node);

/// Finds the order of each output; an output whose rows were not ordered, or whose key was written
/// again after that, has none.
[[nodiscard]] std::vector<OutputOrder> find_output_orders(const plan::CompiledPlan& plan);

/// Gives a warning if the order says little about these rows of the output: its key is null in all
/// of them, or in more than half of more than ten.
[[nodiscard]] std::optional<std::string> find_null_order(const plan::CompiledPlan& plan,
                                                         const OutputOrder& order,
                                                         const rows::RowSet& rows);

}  // namespace millrace::rank
