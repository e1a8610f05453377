#include "plan/explain.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/format.h"
#include "plan/passes/node_links.h"

namespace millrace::plan {

namespace {

std::string join(std::span<const std::string> words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

std::int64_t to_us(base::Duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

std::vector<std::string> ids_of(const CompiledPlan& plan, std::span<const std::uint32_t> nodes) {
  std::vector<std::string> ids;
  for (const std::uint32_t node : nodes) ids.push_back(plan.nodes[node].id);
  return ids;
}

void write_list(base::JsonWriter& json, std::string_view name, std::span<const std::string> words) {
  json.key(name);
  json.begin_array();
  for (const std::string& word : words) json.value(std::string_view(word));
  json.end_array();
}

std::string fallback_text(const CompiledPlan& plan, const CompiledNode& node) {
  switch (node.on_failure) {
    case OnFailure::kFail:
      return "fail";
    case OnFailure::kUseEmpty:
      return "empty";
    case OnFailure::kUseInput:
      return "input";
    case OnFailure::kUseNode:
      return "node " + plan.nodes[node.fallback_node].id;
  }
  return "?";
}

std::string_view kind_text(TaskKind kind) {
  switch (kind) {
    case TaskKind::kAsync:
      return "async";
    case TaskKind::kCpu:
      return "cpu";
    case TaskKind::kCheap:
      return "cheap";
  }
  return "?";
}

/// A node that names no priority has that of its request.
std::string_view priority_text(std::optional<PlanPriority> priority) {
  if (!priority) return "that of the request";
  switch (*priority) {
    case PlanPriority::kHigh:
      return "high";
    case PlanPriority::kNormal:
      return "normal";
    case PlanPriority::kLow:
      return "low";
    case PlanPriority::kBackground:
      return "background";
  }
  return "?";
}

/// Says whether the node's body can fail or wait too long, so that the request needs a fallback.
bool needs_fallback(const CompiledNode& node) {
  return node.task->can_fail || node.task->kind == TaskKind::kAsync || node.timeout ||
         node.on_row_error == RowErrorRule::kFail;
}

}  // namespace

base::Duration estimate_cost(const CompiledNode& node) {
  if (node.cost_estimate.count() != 0) return node.cost_estimate;
  return node.task->cost_fixed + node.task->cost_per_row * kAssumedRows;
}

EstimatedPath estimate_critical_path(const CompiledPlan& plan) {
  std::vector<base::Duration> cost(plan.nodes.size());
  std::vector<std::uint32_t> before(plan.nodes.size(), kNoPlanNode);
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    const CompiledNode& node = plan.nodes[i];
    const auto take = [&](std::uint32_t producer) {
      if (before[i] == kNoPlanNode || cost[producer] > cost[before[i]]) before[i] = producer;
    };
    for (const PlanInput& input : node.inputs) {
      if (const auto* from = std::get_if<NodeInput>(&input)) take(from->node);
    }
    for (const std::uint32_t other : node.waits_for) take(other);
    cost[i] = estimate_cost(node) + (before[i] == kNoPlanNode ? base::Duration{} : cost[before[i]]);
  }
  EstimatedPath path;
  std::uint32_t last = kNoPlanNode;
  for (const std::uint32_t output : plan.outputs) {
    if (last == kNoPlanNode || cost[output] > cost[last]) last = output;
  }
  if (last != kNoPlanNode) path.cost = cost[last];
  for (; last != kNoPlanNode; last = before[last]) path.nodes.push_back(last);
  std::ranges::reverse(path.nodes);
  return path;
}

std::vector<base::Duration> estimate_time_to_end(const CompiledPlan& plan) {
  std::vector<base::Duration> times(plan.nodes.size());
  // Nodes stand after those that they need, so the longest way behind a node is known before it.
  for (std::size_t i = plan.nodes.size(); i-- > 0;) {
    const CompiledNode& node = plan.nodes[i];
    times[i] += estimate_cost(node);
    const auto reach = [&](std::uint32_t producer) {
      times[producer] = std::max(times[producer], times[i]);
    };
    for (const PlanInput& input : node.inputs) {
      if (const auto* from = std::get_if<NodeInput>(&input)) reach(from->node);
    }
    for (const std::uint32_t other : node.waits_for) reach(other);
  }
  return times;
}

std::vector<std::uint32_t> nodes_that_can_fail(const CompiledPlan& plan) {
  // Fallback nodes count too, since some requests run them. A node that no output needs cannot make
  // a request fail.
  const std::vector<bool> used = reachable_from(plan, plan.outputs);
  std::vector<std::uint32_t> failing;
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    const CompiledNode& node = plan.nodes[i];
    if (used[i] && needs_fallback(node) && node.on_failure == OnFailure::kFail) {
      failing.push_back(i);
    }
  }
  return failing;
}

std::vector<std::string> PlanExplanation::reads(const CompiledNode& node) const {
  std::vector<std::string> names;
  KeySet keys = analysis_.reads_of(node, 0);
  for (std::size_t input = 1; input < node.inputs.size(); ++input) {
    keys |= analysis_.reads_of(node, input);
  }
  keys.for_each([&](std::size_t key) { names.push_back(analysis_.registry().keys()[key].name); });
  return names;
}

std::vector<std::string> PlanExplanation::writes(const CompiledNode& node) const {
  const NodeColumns input = analysis_.columns_of(ConstantInput{});
  KeySet written = analysis_.columns_of(node, {&input}).written;
  for (const FetchedKey& fetched : node.fetched_keys) written.add(analysis_.index_of(fetched.key));
  for (const KeyMove& taken : node.taken_columns) written.add(analysis_.index_of(taken.to));
  std::vector<std::string> names;
  written.for_each(
      [&](std::size_t key) { names.push_back(analysis_.registry().keys()[key].name); });
  return names;
}

std::string PlanExplanation::to_text() const {
  std::string text = base::format("plan {}", plan_.name);
  if (!plan_.version.empty()) text += " version " + plan_.version;
  text += base::format("\ndigest {}\n\nnodes\n", plan_.digest);
  const std::vector<base::Duration> times = estimate_time_to_end(plan_);
  for (std::size_t index = 0; index < plan_.nodes.size(); ++index) {
    const CompiledNode& node = plan_.nodes[index];
    text += base::format("  {}: {} ({}, ~{} us)\n",
                         node.id,
                         node.task->op,
                         kind_text(node.task->kind),
                         to_us(estimate_cost(node)));
    if (node.source_ids.size() > 1) {
      text += base::format("    stands for: {}\n", join(node.source_ids, ", "));
    }
    if (const auto names = reads(node); !names.empty()) {
      text += base::format("    reads: {}\n", join(names, ", "));
    }
    if (const auto names = writes(node); !names.empty()) {
      text += base::format("    writes: {}\n", join(names, ", "));
    }
    text += base::format("    columns: {}\n", join(node.columns, ", "));
    text += base::format(
        "    priority: {}, ~{} us to the end\n", priority_text(node.priority), to_us(times[index]));
    if (node.is_unused) {
      text += "    no output needs it\n";
    } else if (node.on_failure != OnFailure::kFail) {
      text += base::format("    on failure: {}\n", fallback_text(plan_, node));
    }
  }
  text += base::format("\noutputs: {}\noutput keys: {}\n\npasses\n",
                       join(ids_of(plan_, plan_.outputs), ", "),
                       join(plan_.output_keys, ", "));
  for (const PassNote& note : plan_.passes)
    text += base::format("  {}: {}\n", note.pass, note.text);
  const EstimatedPath path = estimate_critical_path(plan_);
  text += base::format("\ncritical path (estimated, {} rows per node): {} = {} us\n",
                       kAssumedRows,
                       join(ids_of(plan_, path.nodes), " > "),
                       to_us(path.cost));
  const std::vector<std::uint32_t> failing = nodes_that_can_fail(plan_);
  text += failing.empty() ? "always answers: yes\n"
                          : base::format("always answers: no; these nodes can fail it: {}\n",
                                         join(ids_of(plan_, failing), ", "));
  for (const base::Problem& warning : plan_.warnings) {
    text += base::format(
        "warning: {}: {} ({})\n", warning.code.text(), warning.message, warning.subject);
  }
  return text;
}

void PlanExplanation::write_node(base::JsonWriter& json,
                                 const CompiledNode& node,
                                 base::Duration time_to_end) const {
  json.begin_object();
  json.member("id", node.id);
  json.member("op", node.task->op);
  json.member("kind", kind_text(node.task->kind));
  write_list(json, "source_ids", node.source_ids);
  write_list(json, "reads", reads(node));
  write_list(json, "writes", writes(node));
  write_list(json, "columns", node.columns);
  json.member("cost_us", to_us(estimate_cost(node)));
  json.member("priority", priority_text(node.priority));
  json.member("time_to_end_us", to_us(time_to_end));
  json.member("on_failure", fallback_text(plan_, node));
  json.end_object();
}

void PlanExplanation::write_json(base::JsonWriter& json) const {
  const EstimatedPath path = estimate_critical_path(plan_);
  const std::vector<std::uint32_t> failing = nodes_that_can_fail(plan_);
  json.begin_object();
  json.member("name", plan_.name);
  json.member("version", plan_.version);
  json.member("digest", plan_.digest);
  json.key("nodes");
  json.begin_array();
  const std::vector<base::Duration> times = estimate_time_to_end(plan_);
  for (std::size_t index = 0; index < plan_.nodes.size(); ++index) {
    write_node(json, plan_.nodes[index], times[index]);
  }
  json.end_array();
  write_list(json, "outputs", ids_of(plan_, plan_.outputs));
  write_list(json, "output_keys", plan_.output_keys);
  json.key("passes");
  json.begin_array();
  for (const PassNote& note : plan_.passes) {
    json.begin_object();
    json.member("pass", note.pass);
    json.member("text", note.text);
    json.end_object();
  }
  json.end_array();
  json.key("critical_path");
  json.begin_object();
  write_list(json, "nodes", ids_of(plan_, path.nodes));
  json.member("cost_us", to_us(path.cost));
  json.member("assumed_rows", kAssumedRows);
  json.end_object();
  json.key("always_answers");
  json.begin_object();
  json.member("is", failing.empty());
  write_list(json, "failing_nodes", ids_of(plan_, failing));
  json.end_object();
  json.key("warnings");
  base::write_json(plan_.warnings, json);
  json.end_object();
}

}  // namespace millrace::plan
