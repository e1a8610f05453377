#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.h"
#include "plan/passes/node_links.h"
#include "plan/passes/passes.h"

namespace millrace::plan {

namespace {

/// Finds the order of a sort in its params: one of type order, or `key` with an `order` of `asc` or
/// `desc`. Gives nothing if the sort has another param that is set, since `top_k` would ignore it.
std::optional<std::vector<OrderKey>> find_order(const CompiledNode& sort) {
  std::vector<OrderKey> order;
  std::string key;
  bool descending = false;
  for (std::size_t i = 0; i < sort.params.size(); ++i) {
    const ParamSpec& spec = sort.task->params[i];
    const ParamValue& value = sort.params[i];
    if (const auto* keys = std::get_if<std::vector<OrderKey>>(&value)) {
      order = *keys;
    } else if (spec.type == ParamType::kKey && std::holds_alternative<std::string>(value)) {
      key = std::get<std::string>(value);
    } else if (spec.name == "order" && std::holds_alternative<std::string>(value)) {
      descending = std::get<std::string>(value) == "desc";
    } else if (!same_param(value, spec.fallback)) {
      return std::nullopt;
    }
  }
  if (order.empty() == key.empty()) return std::nullopt;
  if (order.empty()) order.push_back({.key = std::move(key), .descending = descending});
  return order;
}

std::optional<std::int64_t> find_count(const CompiledNode& take) {
  std::optional<std::int64_t> count;
  for (std::size_t i = 0; i < take.params.size(); ++i) {
    const auto* number = std::get_if<std::int64_t>(&take.params[i]);
    if (take.task->params[i].name == "count" && number != nullptr) {
      count = *number;
    } else if (!same_param(take.params[i], take.task->params[i].fallback)) {
      return std::nullopt;
    }
  }
  return count;
}

/// Builds the params of `top_k` in the order of its spec; nothing if the task requires others too.
std::optional<std::vector<ParamValue>> top_k_params(const TaskSpec& task,
                                                    std::vector<OrderKey> order,
                                                    std::int64_t count) {
  std::vector<ParamValue> params;
  bool has_order = false;
  bool has_count = false;
  for (const ParamSpec& spec : task.params) {
    if (spec.name == "order" && spec.type == ParamType::kOrder) {
      params.emplace_back(std::move(order));
      has_order = true;
    } else if (spec.name == "count" && spec.type == ParamType::kInt) {
      const auto number = static_cast<double>(count);
      if ((spec.minimum && number < *spec.minimum) || (spec.maximum && number > *spec.maximum)) {
        return std::nullopt;
      }
      params.emplace_back(count);
      has_count = true;
    } else {
      if (spec.required) return std::nullopt;
      params.push_back(spec.fallback);
    }
  }
  if (!has_order || !has_count) return std::nullopt;
  return params;
}

}  // namespace

void use_top_k(CompiledPlan& plan, const PassContext& context) {
  const TaskSpec* top_k = context.catalog.find_task("top_k");
  if (top_k == nullptr) return;
  const std::vector<NodeUses> uses = uses_of(plan);
  std::vector<bool> removed(plan.nodes.size());
  for (CompiledNode& take : plan.nodes) {
    const auto* from = take.inputs.size() == 1 ? std::get_if<NodeInput>(&take.inputs[0]) : nullptr;
    if (take.task->op != "take" || from == nullptr) continue;
    const std::uint32_t sort_index = from->node;
    CompiledNode& sort = plan.nodes[sort_index];
    if (sort.task->op != "sort" || !uses[sort_index].is_private() || has_own_settings(sort) ||
        has_own_settings(take) || sort.inputs.size() != 1) {
      continue;
    }
    std::optional<std::vector<OrderKey>> order = find_order(sort);
    const std::optional<std::int64_t> count = find_count(take);
    if (!order || !count) continue;
    std::optional<std::vector<ParamValue>> params = top_k_params(*top_k, *std::move(order), *count);
    if (!params) continue;
    take.task = top_k;
    take.params = *std::move(params);
    take.inputs = std::move(sort.inputs);
    take.source_ids.insert(take.source_ids.begin(), sort.source_ids.begin(), sort.source_ids.end());
    sort.inputs.clear();
    removed[sort_index] = true;
    plan.passes.push_back(
        {.pass = "top_k", .text = base::format("{} and {} are one top_k", sort.id, take.id)});
  }
  remove_nodes(plan, removed);
}

}  // namespace millrace::plan
