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
// Forward: a node has the *written* columns of its task and those that flow through it. A task that
// supplies keys on demand offers every key that is not blocked; the offer flows downstream until a
// node needs it. Backward: what an output, a param, an expression, a fallback or `viewer.x` reads
// is *needed* of the node it reads from; the nearest task upstream that wrote the key, or else the
// nearest that offers it, supplies it. A key that the input of an offering task has for certain is
// not fetched again. None of this depends on what other nodes happen to read, so removing columns
// never changes a value.

namespace millrace::plan {

/// The columns of one node's rows, found by the forward walk.
struct NodeColumns {
  KeySet present;    ///< the rows always have these
  KeySet offered;    ///< the rows have these if something downstream reads them
  KeySet written;    ///< of `present`: those the node itself writes
  KeySet on_demand;  ///< the node itself fetches these if they are read
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
  /// Keys that the params and the task of a node read from its inputs.
  [[nodiscard]] KeySet reads_of(const CompiledNode& node) const;
  /// Decides, given what is read of a node, whether to treat the node as removed: what is read of
  /// it is then read of its first input, and its own params read nothing.
  using IsLeftOut = std::function<bool(std::uint32_t node, const NodeNeeds& needs)>;
  /// Finds what is read of every node.
  [[nodiscard]] std::vector<NodeNeeds> needs_of(const CompiledPlan& plan,
                                                const std::vector<NodeColumns>& columns,
                                                const IsLeftOut& is_left_out = {}) const;

 private:
  [[nodiscard]] KeySet explicit_keys(const CompiledNode& node) const;
  void add_key(KeySet& keys, std::string_view name) const;

  const Registry& registry_;
  KeySet on_demand_;  // what any task may be asked for
};

}  // namespace millrace::plan
