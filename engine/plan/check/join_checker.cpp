#include "plan/check/join_checker.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/format.h"
#include "plan/membership.h"
#include "plan/problem.h"
#include "plan/registry/registry.h"
#include "rows/column.h"

namespace millrace::plan {

void JoinChecker::check(const std::vector<const NodeColumns*>& inputs) {
  if (params_.rhs_input() >= inputs.size()) return;
  check_keys();
  if (!params_.has_rhs_by()) check_shared_keys(*inputs.front(), *inputs[params_.rhs_input()]);
  if (!params_.takes_columns()) {
    if (params_.columns() == nullptr) return;
    setting_.context.reporter.add(ProblemCode::kBadValue,
                                  place_of(node_.task->join->columns),
                                  "This kind of join takes no columns from its right side",
                                  "leave `columns` out");
    return;
  }
  check_clashes(*inputs.front(), *inputs[params_.rhs_input()]);
}

void JoinChecker::check_keys() {
  const std::vector<std::string>& left = params_.by();
  const std::vector<std::string>& right = params_.rhs_by();
  base::DocumentReporter& reporter = setting_.context.reporter;
  if (left.size() != right.size()) {
    if (left.empty()) return;  // was reported
    reporter.add(ProblemCode::kBadValue,
                 place_of(node_.task->join->rhs_by),
                 base::format("`by` and `rhs_by` must have the same number of keys: {} and {}",
                              left.size(),
                              right.size()));
    return;
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    const FieldInfo* one = setting_.context.registry.find_key(left[i]);
    const FieldInfo* other = setting_.context.registry.find_key(right[i]);
    if (one == nullptr || other == nullptr || one->type == other->type) continue;
    reporter.add(ProblemCode::kWrongKeyType,
                 place_of(node_.task->join->rhs_by),
                 base::format("Keys of different types are never equal: {} is {}, and {} is {}",
                              one->name,
                              rows::to_string(one->type),
                              other->name,
                              rows::to_string(other->type)));
  }
}

void JoinChecker::check_shared_keys(const NodeColumns& left, const NodeColumns& right) {
  for (const std::string& name : params_.by()) {
    const FieldInfo* key = setting_.context.registry.find_key(name);
    if (key == nullptr) continue;
    const std::size_t index = setting_.analysis.index_of(name);
    if (right.has(index) || !left.has(index)) continue;  // what the left side lacks was reported
    KeyHistory::Explanation why =
        history_.explain_missing(node_.inputs[params_.rhs_input()], *key, index);
    setting_.context.reporter.add(
        ProblemCode::kKeyNotAvailable,
        place_of(node_.task->join->by),
        base::format("The right side lacks a key that `by` names. {}", why.message),
        base::format("{}; or name the key that it has instead in `rhs_by`", why.hint));
  }
}

void JoinChecker::check_clashes(const NodeColumns& left, const NodeColumns& right) {
  std::vector<TakenKey> taken;
  const ColumnAnalysis& analysis = setting_.analysis;
  if (const std::vector<KeyMove>* moves = params_.columns()) {
    for (const KeyMove& move : *moves) {
      taken.push_back({.to = analysis.index_of(move.to), .from = analysis.index_of(move.from)});
    }
  } else {
    right.present.for_each([&](std::size_t key) {
      const std::string& name = analysis.registry().keys()[key].name;
      if (name != "id" && !contains(params_.rhs_by(), name)) {
        taken.push_back({.to = key, .from = key});
      }
    });
  }
  for (const TakenKey& key : taken) {
    if (!left.present.contains(key.to)) continue;
    const std::string& name = analysis.registry().keys()[key.to].name;
    setting_.context.reporter.add(
        ProblemCode::kKeyClash,
        place_of(node_.task->join->columns),
        base::format("Both sides of the join have the key {}: {} writes it on the left, {} on the "
                     "right",
                     name,
                     writer(0, key.to),
                     writer(params_.rhs_input(), key.from)),
        "say in `columns` what is taken from the right side: keys, {\"new_key\": \"key\"} to give "
        "them other names, or [] for none");
  }
}

std::string JoinChecker::writer(std::size_t input, std::size_t key) const {
  const auto* from = std::get_if<NodeInput>(&node_.inputs[input]);
  return from != nullptr ? history_.name_of(history_.writer_of(from->node, key)) : "the input";
}

const base::ValuePlace& JoinChecker::place_of(std::string_view param) const {
  for (std::size_t i = 0; i < node_.params.size(); ++i) {
    if (node_.task->params[i].name == param) return draft_.places[index_][i];
  }
  return draft_.where[index_];
}

}  // namespace millrace::plan
