#include "rank/output_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/format.h"
#include "plan/task_catalog.h"
#include "rows/batch.h"
#include "rows/column.h"

namespace millrace::rank {
namespace {

using plan::CompiledNode;

constexpr std::size_t kFewRows = 10;

/// Gives the first key that a node orders its rows by.
std::optional<std::string> order_key(const CompiledNode& node) {
  std::optional<std::string> key;
  for (std::size_t i = 0; i < node.params.size(); ++i) {
    if (const auto* const order = std::get_if<std::vector<plan::OrderKey>>(&node.params[i]))
      return order->front().key;
    const auto* const text = std::get_if<std::string>(&node.params[i]);
    const bool is_key = node.task->params[i].type == plan::ParamType::kKey;
    if (is_key && text != nullptr && node.task->rows == plan::OutputRows::kReorder) key = *text;
  }
  return key;
}

bool writes(const CompiledNode& node, std::string_view key) {
  for (std::size_t i = 0; i < node.params.size(); ++i) {
    const auto* const text = std::get_if<std::string>(&node.params[i]);
    if (node.task->params[i].type == plan::ParamType::kOutKey && text != nullptr && *text == key)
      return true;
  }
  return std::ranges::find(node.task->writes, key) != node.task->writes.end() ||
         std::ranges::find(node.fetched_keys, key, &plan::FetchedKey::key) !=
             node.fetched_keys.end() ||
         std::ranges::find(node.taken_columns, key, &plan::KeyMove::to) != node.taken_columns.end();
}

bool has_column(const CompiledNode& node, std::string_view key) {
  return std::ranges::find(node.columns, key) != node.columns.end();
}

/// Gives the first input of a node that has the column.
std::optional<std::uint32_t> input_with(const plan::CompiledPlan& plan,
                                        const CompiledNode& node,
                                        std::string_view key) {
  for (const plan::PlanInput& input : node.inputs) {
    const auto* const from = std::get_if<plan::NodeInput>(&input);
    if (from != nullptr && has_column(plan.nodes[from->node], key)) return from->node;
  }
  return std::nullopt;
}

std::uint32_t find_writer(const plan::CompiledPlan& plan,
                          std::uint32_t node,
                          std::string_view key) {
  std::optional<std::uint32_t> here = node;
  while (here && !writes(plan.nodes[*here], key)) here = input_with(plan, plan.nodes[*here], key);
  return here.value_or(plan::kNoPlanNode);
}

}  // namespace

std::optional<OutputOrder> find_order(const plan::CompiledPlan& plan, std::uint32_t node) {
  std::vector<const CompiledNode*> behind;
  for (std::optional<std::uint32_t> here = node; here;) {
    const CompiledNode& compiled = plan.nodes[*here];
    if (const std::optional<std::string> key = order_key(compiled)) {
      const bool is_rewritten = std::ranges::any_of(
          behind, [&](const CompiledNode* later) { return writes(*later, *key); });
      if (is_rewritten || *key == rows::kIdColumn) return std::nullopt;
      return OutputOrder{.output = node, .key = *key, .writer = find_writer(plan, *here, *key)};
    }
    const bool keeps_order = compiled.task->rows == plan::OutputRows::kSame ||
                             compiled.task->rows == plan::OutputRows::kSubset;
    const auto* const from = keeps_order && !compiled.inputs.empty()
                                 ? std::get_if<plan::NodeInput>(&compiled.inputs.front())
                                 : nullptr;
    behind.push_back(&compiled);
    here = from != nullptr ? std::optional(from->node) : std::nullopt;
  }
  return std::nullopt;
}

std::vector<OutputOrder> find_output_orders(const plan::CompiledPlan& plan) {
  std::vector<OutputOrder> orders;
  for (const std::uint32_t output : plan.outputs) {
    if (auto order = find_order(plan, output)) orders.push_back(*std::move(order));
  }
  return orders;
}

std::optional<std::string> find_null_order(const plan::CompiledPlan& plan,
                                           const OutputOrder& order,
                                           const rows::RowSet& rows) {
  const rows::Column* const column = rows.batch()->find_column(order.key);
  if (column == nullptr || !column->has_nulls() || rows.size() == 0) return std::nullopt;
  std::size_t nulls = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) nulls += column->is_null(rows.row_at(i)) ? 1 : 0;
  const bool most = rows.size() > kFewRows && nulls > rows.size() / 2;
  if (nulls != rows.size() && !most) return std::nullopt;
  std::string text = base::format("the rows are ordered by '{}', which is null in {} of {} rows",
                                  order.key,
                                  nulls,
                                  rows.size());
  if (order.writer != plan::kNoPlanNode) {
    const CompiledNode& writer = plan.nodes[order.writer];
    text += base::format("; node '{}' ({}) wrote it", writer.id, writer.task->op);
  }
  return text;
}

}  // namespace millrace::rank
