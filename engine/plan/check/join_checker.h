#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/check/columns.h"
#include "plan/check/draft.h"
#include "plan/check/join_params.h"
#include "plan/check/key_history.h"
#include "plan/check/node_checker.h"

namespace millrace::plan {

/// Checks what concerns both sides of a join: that the keys can be equal, and that no column would
/// overwrite another. That the left keys exist, and right ones that are named, is checked with the
/// other params.
/// Threading: not shared. Lifetime: borrows the arguments of its constructor.
class JoinChecker {
 public:
  JoinChecker(const Draft& draft,
              std::uint32_t index,
              const ColumnsByNode& columns,
              const CheckSetting& setting)
      : draft_(draft),
        index_(index),
        node_(draft.plan.nodes[index]),
        params_(node_),
        history_(draft.plan, columns),
        setting_(setting) {}

  /// `inputs` are the columns of the node's inputs.
  void check(const std::vector<const NodeColumns*>& inputs);

 private:
  void check_keys();
  /// Keys that `by` names for both sides must be on both.
  void check_shared_keys(const NodeColumns& left, const NodeColumns& right);
  void check_clashes(const NodeColumns& left, const NodeColumns& right);
  [[nodiscard]] std::string writer(std::size_t input, std::size_t key) const;
  [[nodiscard]] const base::ValuePlace& place_of(std::string_view param) const;

  const Draft& draft_;
  std::uint32_t index_;
  const CompiledNode& node_;
  JoinParams params_;
  KeyHistory history_;
  CheckSetting setting_;
};

}  // namespace millrace::plan
