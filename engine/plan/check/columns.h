#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "plan/check/key_set.h"
#include "plan/compiled_plan.h"
#include "plan/registry/registry.h"

// Finds which columns the rows of each node have, and which of them are read.
//
// Forward: a node has the *written* columns of its task and those that flow through it. Nothing
// flows through a fan-out, whose rows are other entities, but what it is told to take along. A task
// that supplies keys on demand offers every key that plans may not write; the offer flows
// downstream until a node needs it. Backward: what an output, a param, an expression, a fallback or
// `viewer.x` reads is *needed* of the node it reads from; the nearest task upstream that writes or
// offers the key supplies it, whatever the rows had before. None of this depends on what other
// nodes happen to read, so removing columns never changes a value.

namespace millrace::plan {

/// A column that gets another name on its way.
struct TakenKey {
  std::size_t to = 0;
  std::size_t from = 0;
};

/// The columns of one node's rows, found by the forward walk.
struct NodeColumns {
  KeySet present;    ///< the rows always have these
  KeySet offered;    ///< the rows have these if something downstream reads them
  KeySet written;    ///< of `present`: those the node itself writes
  KeySet on_demand;  ///< the node itself fetches these if they are read
  KeySet partial;    ///< of the columns: some rows lack them, as some inputs of a `concat` do
  std::vector<TakenKey> taken;  ///< what a fan-out takes along, or a join from its other input

  [[nodiscard]] bool has(std::size_t key) const {
    return present.contains(key) || offered.contains(key);
  }
};

/// The columns of one node's rows that are read, found by the backward walk.
struct NodeNeeds {
  KeySet needed;   ///< columns of the node's rows that something reads
  KeySet fetched;  ///< of `needed`: those the node fetches
  KeySet passed;   ///< of `needed`: those that come from its inputs
};

/// Does both walks.
/// Threading: not shared. Lifetime: borrows the registry.
class ColumnAnalysis {
 public:
  explicit ColumnAnalysis(const Registry& registry);

  [[nodiscard]] KeySet none() const { return KeySet(registry_.keys().size()); }
  [[nodiscard]] std::size_t index_of(std::string_view key) const;
  [[nodiscard]] const Registry& registry() const { return registry_; }

  /// Columns of a node whose inputs have `inputs`, in order.
  [[nodiscard]] NodeColumns columns_of(const CompiledNode& node,
                                       const std::vector<const NodeColumns*>& inputs) const;
  /// Columns of rows that come from the request or a constant.
  [[nodiscard]] NodeColumns columns_of(const PlanInput& input) const;
  /// Columns of all nodes; producers must stand before consumers.
  [[nodiscard]] std::vector<NodeColumns> columns_of(const CompiledPlan& plan) const;
  /// Keys that the params and the task of a node read from this input. What is taken along counts
  /// only if `with_taken`.
  [[nodiscard]] KeySet reads_of(const CompiledNode& node,
                                std::size_t input,
                                bool with_taken = true) const;
  /// Decides, given what is read of a node, whether to treat the node as removed: what is read of
  /// it is then read of its first input, and its own params read nothing.
  using IsLeftOut = std::function<bool(std::uint32_t node, const NodeNeeds& needs)>;
  /// Finds what is read of every node.
  [[nodiscard]] std::vector<NodeNeeds> needs_of(const CompiledPlan& plan,
                                                const std::vector<NodeColumns>& columns,
                                                const IsLeftOut& is_left_out = {}) const;

 private:
  [[nodiscard]] KeySet explicit_keys(const CompiledNode& node) const;
  [[nodiscard]] KeySet supplied_keys(const CompiledNode& node) const;
  void add_inputs(NodeColumns& columns,
                  const TaskSpec& task,
                  const std::vector<const NodeColumns*>& inputs) const;
  void add_written(NodeColumns& columns, const CompiledNode& node) const;
  void add_group_keys(NodeColumns& columns, const ParamValue& names) const;
  void add_joined(NodeColumns& columns,
                  const CompiledNode& node,
                  const std::vector<const NodeColumns*>& inputs) const;
  void add_reads(KeySet& keys, const CompiledNode& node, std::size_t param) const;
  void add_key(KeySet& keys, std::string_view name) const;

  const Registry& registry_;
  KeySet on_demand_;  // what a task may be asked for without naming it
};

}  // namespace millrace::plan
