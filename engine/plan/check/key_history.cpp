#include "plan/check/key_history.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/format.h"
#include "plan/check/join_params.h"
#include "plan/task_catalog.h"

namespace millrace::plan {

std::optional<std::uint32_t> KeyHistory::find_loss(std::uint32_t node, std::size_t key) const {
  std::vector<bool> seen(plan_.nodes.size());
  std::deque<std::uint32_t> open{node};
  while (!open.empty()) {
    const std::uint32_t here = open.front();
    open.pop_front();
    if (seen[here]) continue;
    seen[here] = true;
    for (const PlanInput& input : plan_.nodes[here].inputs) {
      const auto* from = std::get_if<NodeInput>(&input);
      if (from == nullptr) continue;
      if (has(from->node, key)) return here;
      open.push_back(from->node);
    }
  }
  return std::nullopt;
}

std::uint32_t KeyHistory::writer_of(std::uint32_t node, std::size_t key) const {
  for (std::size_t step = 0; step < plan_.nodes.size(); ++step) {
    if (!columns_[node]) return node;
    const NodeColumns& columns = *columns_[node];
    if (columns.written.contains(key) || columns.on_demand.contains(key)) return node;
    std::size_t wanted = key;
    const CompiledNode& here = plan_.nodes[node];
    std::size_t first = 0;
    for (const TakenKey& taken : columns.taken) {
      if (taken.to != key) continue;
      wanted = taken.from;
      if (here.task->join) first = JoinParams(here).rhs_input();
    }
    std::optional<std::uint32_t> next;
    for (std::size_t i = first; i < here.inputs.size() && !next; ++i) {
      const auto* from = std::get_if<NodeInput>(&here.inputs[i]);
      if (from != nullptr && has(from->node, wanted)) next = from->node;
    }
    if (!next) return node;
    node = *next;
    key = wanted;
  }
  return node;
}

std::string KeyHistory::name_of(std::uint32_t node) const {
  const CompiledNode& named = plan_.nodes[node];
  return base::format("'{}' ({})", named.id, named.task != nullptr ? named.task->op : "?");
}

KeyHistory::Explanation KeyHistory::explain_missing(const PlanInput& input,
                                                    const FieldInfo& key,
                                                    std::size_t index) const {
  const auto* from = std::get_if<NodeInput>(&input);
  if (const auto loss = from != nullptr ? find_loss(from->node, index) : std::nullopt) {
    return explain_loss(*loss, key, index);
  }
  return {.message = base::format("Nothing before this node writes the key: {}", key.name),
          .hint = key.allow_write
                      ? "write it with `vm`, or name it in `keys` of `hydrate` if it is stored"
                      : "fetch it with `hydrate`"};
}

KeyHistory::Explanation KeyHistory::explain_loss(std::uint32_t node,
                                                 const FieldInfo& key,
                                                 std::size_t index) const {
  const CompiledNode& here = plan_.nodes[node];
  const std::string name = name_of(node);
  if (here.task->columns == OutputColumns::kFanOut) {
    return {.message = base::format(
                "The key was lost at {}, whose rows are other entities than those before it: {}",
                name,
                key.name),
            .hint = base::format("fetch it for these rows with `hydrate` after '{}', or take the "
                                 "value of the row before along with `carry: [\"{}\"]` of '{}'",
                                 here.id,
                                 key.name,
                                 here.id)};
  }
  if (here.task->columns == OutputColumns::kGroups) {
    return {
        .message = base::format(
            "The key was lost at {}, whose rows stand for several before it: {}", name, key.name),
        .hint = base::format("group by it, take that of the first row along with `first: "
                             "[\"{}\"]` of '{}', or fetch it with `hydrate` after it",
                             key.name,
                             here.id)};
  }
  if (here.task->join) {
    const JoinParams join(here);
    const auto* left = std::get_if<NodeInput>(&here.inputs.front());
    const bool on_left = left != nullptr && has(left->node, index);
    if (on_left) {
      return {
          .message = base::format(
              "Both sides of {} have the key, so nothing says which is meant: {}", name, key.name),
          .hint = base::format("say in `columns` of '{}' what is taken from the right side, "
                               "under a new name where needed",
                               here.id)};
    }
    return {.message = base::format("The key was lost at {}, which does not take it from its right "
                                    "side: {}",
                                    name,
                                    key.name),
            .hint = join.takes_columns() ? base::format("name it in `columns` of '{}'", here.id)
                                         : "use a kind of join that takes columns: inner or left"};
  }
  return {.message = base::format("The key was lost at {}: {}", name, key.name),
          .hint = base::format("fetch it with `hydrate` after '{}', or write it again", here.id)};
}

}  // namespace millrace::plan
