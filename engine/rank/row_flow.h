#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/pooled_allocator.h"
#include "plan/compiled_plan.h"
#include "rows/row_set.h"

namespace millrace::rank {

/// What every node of a run read and gave, once the run is over.
/// Threading: not shared. Lifetime: borrows the plan and the rows.
struct RunRows {
  const plan::CompiledPlan* plan = nullptr;
  /// By node, those of a stand-in included; nullptr: it made none.
  base::PooledVector<const rows::RowSet*> rows;
  /// By node and input; nullptr: not there.
  base::PooledVector<base::PooledVector<const rows::RowSet*>> inputs;
  /// By node: a fallback took its place.
  std::vector<bool> stood_in;
};

using RowPositions = base::PooledVector<std::size_t>;

/// What a node does with the rows of one input.
enum class InputRole : std::uint8_t {
  kRows,     ///< gives them on, or leaves them out
  kParents,  ///< makes other rows from them
  kLookup,   ///< reads them to decide about the rows of another input
};
[[nodiscard]] InputRole role_of(const plan::CompiledNode& node, std::size_t input);

/// Whether the rows of a node come from outside: it is a source or a fan-out.
[[nodiscard]] bool makes_rows(const plan::CompiledNode& node);

/// Finds the rows of a node's input again among those that it gave. Ids do not tell rows apart (two
/// lists may hold one id), so rows are told by their place in the batch and, where a task copies
/// the batch, by all their values.
/// Threading: not shared. Lifetime: borrows `run`.
class RowFlow {
 public:
  explicit RowFlow(const RunRows& run);

  /// Positions, among the rows of `node`, of what stands at `position` of one of its inputs; none
  /// if the node left it out. The input's role must be `kRows`, and node and input have rows.
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
