#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/pooled_allocator.h"
#include "plan/compiled_plan.h"
#include "rows/row_set.h"
#include "rows/value.h"

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

/// Says whether an explanation follows rows into this node: it has rows, and an output needs it.
[[nodiscard]] bool is_followed(const RunRows& run, std::uint32_t node);

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

/// The value of a param if it has that type; nullptr if not, or if the task has no such param.
template <class T>
[[nodiscard]] const T* find_param(const plan::CompiledNode& node, std::string_view name) {
  for (std::size_t index = 0; index < node.params.size(); ++index) {
    if (node.task->params[index].name == name) return std::get_if<T>(&node.params[index]);
  }
  return nullptr;
}

/// Compares as `==` does, except that NaN equals NaN: both are the value of one row.
[[nodiscard]] bool is_same_value(const rows::Value& left, const rows::Value& right);

/// Finds input rows of a node again among its output rows. An id does not identify a row, because
/// two lists may hold the same id. So rows are identified by their index in the batch and, where a
/// task makes a new batch, by the values of all columns. Copies of one row keep their order.
/// Threading: not shared. Lifetime: borrows `run`.
class RowFlow {
 public:
  explicit RowFlow(const RunRows& run);

  /// Gives the positions among the rows of `node` of the row at `position` of one of its inputs;
  /// none if the node removed it. The role of the input must be `kRows`, and both must have rows.
  [[nodiscard]] RowPositions follow(std::uint32_t node, std::size_t input, std::size_t position);

  /// How many rows were looked at so far.
  [[nodiscard]] std::size_t work() const { return work_; }

 private:
  /// Where the rows of a batch stand in the input and in the output of a node, both of which are
  /// windows of it. A row may stand in either several times.
  struct Copies {
    RowPositions first_place;   ///< by row of the batch: where its places begin in `places`
    RowPositions places;        ///< positions in the output, row by row, in order
    RowPositions input_counts;  ///< by row of the batch: how often the input has it
    RowPositions ordinals;      ///< by position of the input: how many copies stand before it
  };

  [[nodiscard]] const Copies& copies_of(std::uint32_t node, const rows::RowSet& from);
  [[nodiscard]] RowPositions find_copy(std::uint32_t node,
                                       const rows::RowSet& from,
                                       std::size_t position);
  [[nodiscard]] RowPositions find_woven(std::uint32_t node, std::size_t place);
  [[nodiscard]] RowPositions find_shared(std::uint32_t node, std::size_t input, rows::RowIndex row);
  [[nodiscard]] RowPositions find_equal(std::uint32_t node,
                                        std::size_t input,
                                        std::size_t position);

  [[nodiscard]] const RowPositions& positions_of(const rows::RowSet& rows, std::int64_t id);

  const RunRows& run_;
  std::size_t work_ = 0;
  // By row set, made on first use: the positions of each id.
  std::unordered_map<const rows::RowSet*, std::unordered_map<std::int64_t, RowPositions>> by_id_;
  // By node, made on first use.
  base::PooledVector<std::optional<Copies>> copies_;
  // By node, for `interleave`: for each row of its inputs, one after another, its output position.
  base::PooledVector<RowPositions> woven_;
};

}  // namespace millrace::rank
