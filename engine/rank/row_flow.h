#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/pooled_allocator.h"
#include "plan/compiled_plan.h"
#include "rows/row_set.h"

namespace millrace::rank {

/// The input and output rows of every node of a run that is over.
/// Threading: not shared. Lifetime: borrows the plan and the rows.
struct RunRows {
  const plan::CompiledPlan* plan = nullptr;
  /// By node: its rows or those of its fallback; nullptr if there are none.
  base::PooledVector<const rows::RowSet*> rows;
  /// By node and input; nullptr if there are none.
  base::PooledVector<base::PooledVector<const rows::RowSet*>> inputs;
  /// By node: whether its fallback was used.
  std::vector<bool> stood_in;
};

using RowPositions = base::PooledVector<std::size_t>;

/// What a node does with the rows of one input.
enum class InputRole : std::uint8_t {
  kRows,     ///< passes them on or removes them
  kParents,  ///< makes other rows from them
  kLookup,   ///< reads them to decide about the rows of another input, or to sum them up
};
[[nodiscard]] InputRole role_of(const plan::CompiledNode& node, std::size_t input);

/// Whether the rows of a node come from outside: it is a source, a fan-out, or makes groups.
[[nodiscard]] bool makes_rows(const plan::CompiledNode& node);

/// Finds input rows of a node again among its output rows. An id does not identify a row, because
/// two lists may hold the same id. So rows are identified by their index in the batch and, where a
/// task makes a new batch, by the values of all columns.
/// Threading: not shared. Lifetime: borrows `run`.
class RowFlow {
 public:
  explicit RowFlow(const RunRows& run);

  /// Gives the positions among the rows of `node` of the row at `position` of one of its inputs;
  /// none if the node removed it. The role of the input must be `kRows`, and both must have rows.
  [[nodiscard]] RowPositions follow(std::uint32_t node, std::size_t input, std::size_t position);

 private:
  [[nodiscard]] RowPositions find_row(std::uint32_t node, rows::RowIndex row);
  [[nodiscard]] RowPositions find_shared(std::uint32_t node, std::size_t input, rows::RowIndex row);
  [[nodiscard]] RowPositions find_equal(std::uint32_t node,
                                        std::size_t input,
                                        std::size_t position) const;

  const RunRows& run_;
  // By node, made on first use: for each row of the batch its first position in the row set.
  base::PooledVector<RowPositions> positions_;
};

}  // namespace millrace::rank
