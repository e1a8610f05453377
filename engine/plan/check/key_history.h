#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/check/columns.h"
#include "plan/compiled_plan.h"

namespace millrace::plan {

/// Columns by node; nothing for a node whose columns are not known.
using ColumnsByNode = std::vector<std::optional<NodeColumns>>;

/// Tells where the columns of a plan's rows come from and where they end, for messages.
/// Threading: not shared. Lifetime: borrows the arguments of its constructor.
class KeyHistory {
 public:
  KeyHistory(const CompiledPlan& plan, const ColumnsByNode& columns)
      : plan_(plan), columns_(columns) {}

  /// Gives the nearest node, `node` or before it, whose rows lack a key that an input of it has.
  [[nodiscard]] std::optional<std::uint32_t> find_loss(std::uint32_t node, std::size_t key) const;
  /// Gives the nearest node, `node` or before it, that writes or fetches a key of its rows.
  [[nodiscard]] std::uint32_t writer_of(std::uint32_t node, std::size_t key) const;
  /// Gives `'f' (follow)`.
  [[nodiscard]] std::string name_of(std::uint32_t node) const;

  struct Explanation {
    std::string message;
    std::string hint;
  };
  /// Explains why the rows of `input` lack a registered key that a node reads.
  [[nodiscard]] Explanation explain_missing(const PlanInput& input,
                                            const FieldInfo& key,
                                            std::size_t index) const;

 private:
  [[nodiscard]] bool has(std::uint32_t node, std::size_t key) const {
    return columns_[node].has_value() && columns_[node]->has(key);
  }
  [[nodiscard]] Explanation explain_loss(std::uint32_t node,
                                         const FieldInfo& key,
                                         std::size_t index) const;

  const CompiledPlan& plan_;
  const ColumnsByNode& columns_;
};

}  // namespace millrace::plan
