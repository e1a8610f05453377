#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plan/compiled_plan.h"
#include "plan/param_value.h"

namespace millrace::plan {

/// The params of a node whose task has a `JoinSpec`, by their meaning.
/// Lifetime: borrows the node.
class JoinParams {
 public:
  explicit JoinParams(const CompiledNode& node) : node_(node), spec_(*node.task->join) {}

  /// Index of the other input; the number of inputs if it is not known.
  [[nodiscard]] std::size_t rhs_input() const;
  [[nodiscard]] const std::vector<std::string>& by() const { return keys(spec_.by); }
  /// Says whether the node names keys of the other input of its own.
  [[nodiscard]] bool has_rhs_by() const { return !keys(spec_.rhs_by).empty(); }
  /// As `by` if the node names no others.
  [[nodiscard]] const std::vector<std::string>& rhs_by() const;
  /// What is taken from the other input; nullptr: all but `id` and `rhs_by`.
  [[nodiscard]] const std::vector<KeyMove>* columns() const;
  /// Says whether the rows get columns of the other input at all.
  [[nodiscard]] bool takes_columns() const;

 private:
  [[nodiscard]] const std::vector<std::string>& keys(const std::string& param) const;

  const CompiledNode& node_;
  const JoinSpec& spec_;
};

}  // namespace millrace::plan
