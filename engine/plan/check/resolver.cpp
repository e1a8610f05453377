#include "plan/check/resolver.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/problems/message_text.h"
#include "plan/check/param_reader.h"
#include "plan/membership.h"
#include "plan/problem.h"

namespace millrace::plan {

namespace {

using NameTable = std::unordered_map<std::string_view, std::uint32_t>;

/// Calls `use` with the index of every node that `node` needs.
template <class Use>
void for_each_needed(const CompiledNode& node, bool with_fallback, Use use) {
  for (const PlanInput& input : node.inputs) {
    if (const auto* from = std::get_if<NodeInput>(&input)) use(from->node);
  }
  for (const std::uint32_t other : node.waits_for) use(other);
  if (with_fallback && node.fallback_node != kNoPlanNode) use(node.fallback_node);
}

std::vector<std::uint32_t> order_nodes(const CompiledPlan& plan, bool with_fallback) {
  const auto count = static_cast<std::uint32_t>(plan.nodes.size());
  std::vector<std::uint32_t> missing(count);
  std::vector<std::vector<std::uint32_t>> dependents(count);
  for (std::uint32_t node = 0; node < count; ++node) {
    for_each_needed(plan.nodes[node], with_fallback, [&](std::uint32_t needed) {
      dependents[needed].push_back(node);
      ++missing[node];
    });
  }
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t node = 0; node < count; ++node) {
    if (missing[node] == 0) ready.push(node);
  }
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    const std::uint32_t node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const std::uint32_t dependent : dependents[node]) {
      if (--missing[dependent] == 0) ready.push(dependent);
    }
  }
  return order;
}

/// Gives one cycle among the nodes that `order` leaves out, each node needing the next; empty when
/// there is none.
std::vector<std::uint32_t> find_cycle(const CompiledPlan& plan,
                                      const std::vector<std::uint32_t>& order,
                                      bool with_fallback) {
  std::vector<bool> left_out(plan.nodes.size(), true);
  for (const std::uint32_t node : order) left_out[node] = false;
  const auto first = std::ranges::find(left_out, true);
  if (first == left_out.end()) return {};
  // Every node left out needs another one left out, so this walk must come back to itself.
  std::vector<std::uint32_t> walk{static_cast<std::uint32_t>(first - left_out.begin())};
  std::vector<bool> seen(plan.nodes.size());
  while (!seen[walk.back()]) {
    seen[walk.back()] = true;
    std::uint32_t next = kNoPlanNode;
    for_each_needed(plan.nodes[walk.back()], with_fallback, [&](std::uint32_t needed) {
      if (left_out[needed] && next == kNoPlanNode) next = needed;
    });
    walk.push_back(next);
  }
  walk.erase(walk.begin(), std::ranges::find(walk, walk.back()));
  return walk;
}

std::string cycle_text(const CompiledPlan& plan, const std::vector<std::uint32_t>& cycle) {
  constexpr std::size_t kShownMax = 20;
  std::string text;
  for (std::size_t i = 0; i < cycle.size() && i < kShownMax; ++i) {
    text += (i == 0 ? "" : " needs ") + plan.nodes[cycle[i]].id;
  }
  return cycle.size() > kShownMax ? text + " needs …" : text;
}

/// Resolves one artifact. Each step reports its problems and goes on.
class Resolver {
 public:
  Resolver(const Artifact& artifact, const CheckContext& context)
      : artifact_(artifact), context_(context) {}

  Draft resolve() {
    draft_.plan.name = artifact_.name.text;
    draft_.plan.version = artifact_.version;
    draft_.plan.fragments = artifact_.fragments;
    draft_.plan.variant_of = artifact_.variant_of;
    draft_.plan.reserve = artifact_.reserve;
    draft_.plan.source_file = context_.reporter.source_file();
    draft_.output_keys = artifact_.output_keys;
    draft_.plan.nodes.resize(artifact_.nodes.size());
    draft_.places.resize(artifact_.nodes.size());
    draft_.unknown_input.resize(artifact_.nodes.size());
    draft_.has_problem.resize(artifact_.nodes.size());
    for (const ArtifactNode& node : artifact_.nodes) draft_.where.push_back(node.where);
    register_names();
    for (std::uint32_t i = 0; i < artifact_.nodes.size(); ++i) resolve_node(i);
    for (std::uint32_t i = 0; i < artifact_.nodes.size(); ++i) resolve_fallback(i);
    resolve_outputs();
    check_cycles();
    return std::move(draft_);
  }

 private:
  void register_names() {
    for (std::uint32_t i = 0; i < artifact_.nodes.size(); ++i) {
      const ArtifactNode& node = artifact_.nodes[i];
      if (!node.id.text.empty() && !ids_.emplace(node.id.text, i).second) {
        add(ProblemCode::kDuplicateId, node.id.where, "Duplicate node id: " + node.id.text);
        continue;  // its slot is a duplicate for the same reason
      }
      for (const ArtifactName& slot : node.slots) {
        if (slot.text.empty() || slots_.emplace(slot.text, i).second) continue;
        add(ProblemCode::kDuplicateSlot, slot.where, "Duplicate slot: " + slot.text);
      }
    }
  }

  void resolve_node(std::uint32_t index) {
    const ArtifactNode& from = artifact_.nodes[index];
    CompiledNode& node = draft_.plan.nodes[index];
    node.id = from.id.text;
    node.source_ids = {from.id.text};
    node.source = from.where.source;
    node.inline_hint = from.inline_hint;
    node.cost_estimate = from.cost_estimate;
    node.timeout = from.timeout;
    node.priority = from.priority;
    node.on_row_error = from.on_row_error;
    node.trace = from.trace;
    for (const ArtifactInput& input : from.inputs) resolve_input(index, input);
    if (from.op.text.empty()) return;
    node.task = context_.catalog.find_task(from.op.text);
    if (node.task == nullptr) {
      const auto suggest_op = [&] {
        std::vector<std::string_view> ops;
        for (const TaskSpec* task : context_.catalog.tasks()) ops.emplace_back(task->op);
        return base::suggestion(from.op.text, ops);
      };
      add(ProblemCode::kUnknownOp,
          from.op.where,
          "Unknown op: " + base::shortened(from.op.text),
          suggest_op);
      return;
    }
    const std::size_t problems_before = context_.reporter.count();
    context_.reporter.set_subject(subject_of(node));
    check_input_count(from, *node.task);
    resolve_params(index);
    context_.reporter.set_subject({});
    draft_.has_problem[index] = context_.reporter.count() != problems_before;
  }

  void check_input_count(const ArtifactNode& from, const TaskSpec& task) {
    const std::size_t count = from.inputs.size();
    if (count >= task.inputs_min && count <= task.inputs_max) return;
    const std::string wanted = task.inputs_min == task.inputs_max
                                   ? std::to_string(task.inputs_min)
                                   : base::format("{} to {}", task.inputs_min, task.inputs_max);
    add(ProblemCode::kInputCount,
        from.where,
        base::format("{} takes {} inputs, found {}", task.op, wanted, count));
  }

  void resolve_input(std::uint32_t index, const ArtifactInput& input) {
    CompiledNode& node = draft_.plan.nodes[index];
    switch (input.kind) {
      case ArtifactInput::Kind::kConstant:
        node.inputs.emplace_back(ConstantInput{.ids = input.ids});
        return;
      case ArtifactInput::Kind::kRequest:
        if (!find_request_field(context_.registry, input.name)) {
          add(ProblemCode::kUnknownRequestField,
              input.where,
              "Unknown field of the request: " + base::shortened(input.name),
              [&] { return base::suggestion(input.name, request_field_names(context_.registry)); });
        }
        node.inputs.emplace_back(RequestInput{.field = input.name});
        return;
      case ArtifactInput::Kind::kSlot:
        add_slot_input(index, input.name, input.where);
        return;
    }
  }

  /// Adds an input from a slot. If no node gives the slot, marks the node as having an unknown
  /// input.
  void add_slot_input(std::uint32_t index, const std::string& slot, const base::ValuePlace& where) {
    CompiledNode& node = draft_.plan.nodes[index];
    const auto found = slots_.find(slot);
    if (found != slots_.end()) {
      node.inputs.emplace_back(NodeInput{.node = found->second});
      return;
    }
    draft_.unknown_input[index] = true;
    node.inputs.emplace_back(ConstantInput{});
    if (slot.empty()) return;  // was reported as no name
    add(ProblemCode::kUnknownInput, where, "No node gives the slot: " + base::shortened(slot), [&] {
      return suggest_slot(slot);
    });
  }

  [[nodiscard]] std::string suggest_slot(const std::string& slot) {
    if (const auto node = ids_.find(slot); node != ids_.end()) {
      return base::format(
          "node '{}' gives '{}'", slot, artifact_.nodes[node->second].slots.front().text);
    }
    if (slot_names_.empty()) {
      for (const auto& [name, index] : slots_) slot_names_.push_back(name);
      std::ranges::sort(slot_names_);
    }
    return base::suggestion(slot, slot_names_);
  }

  [[nodiscard]] std::string suggest_id(std::string_view id) const {
    std::vector<std::string_view> ids;
    for (const ArtifactNode& node : artifact_.nodes) ids.emplace_back(node.id.text);
    return base::suggestion(id, ids);
  }

  void resolve_params(std::uint32_t index) {
    CompiledNode& node = draft_.plan.nodes[index];
    ReadParams read = read_params(artifact_.nodes[index], *node.task, context_);
    for (std::size_t i = 0; i < read.values.size(); ++i) {
      if (node.task->params[i].type != ParamType::kNode || read.bad[i]) continue;
      const auto* slot = std::get_if<std::string>(&read.values[i]);
      if (slot == nullptr) continue;
      const InputIndex input{.index = static_cast<std::uint32_t>(node.inputs.size())};
      add_slot_input(index, std::string(*slot), read.places[i]);
      read.values[i] = input;
    }
    node.params = std::move(read.values);
    draft_.places[index] = std::move(read.places);
  }

  void resolve_fallback(std::uint32_t index) {
    const ArtifactFallback& from = artifact_.nodes[index].on_failure;
    CompiledNode& node = draft_.plan.nodes[index];
    node.on_failure = from.use;
    if (from.use == OnFailure::kUseInput && node.inputs.empty()) {
      add(ProblemCode::kBadFallback,
          from.where,
          "A node without inputs cannot give its first input instead",
          R"({"use": "empty"} gives no rows)");
    }
    if (from.use != OnFailure::kUseNode || from.node.empty()) return;
    const auto found = ids_.find(from.node);
    if (found == ids_.end()) {
      add(ProblemCode::kBadFallback,
          from.where,
          "No such node: " + base::shortened(from.node),
          [&] { return suggest_id(from.node); });
    } else if (found->second == index) {
      add(ProblemCode::kBadFallback, from.where, "A node cannot be its own fallback: " + node.id);
    } else {
      node.fallback_node = found->second;
    }
  }

  void resolve_outputs() {
    for (const ArtifactName& output : artifact_.outputs) {
      const std::optional<std::uint32_t> found = find_output(output.text);
      if (!found) {
        add(ProblemCode::kUnknownOutput,
            output.where,
            "No such node: " + base::shortened(output.text),
            [&] { return suggest_id(output.text); });
      } else if (contains(draft_.plan.outputs, *found)) {
        add(ProblemCode::kUnknownOutput, output.where, "Output named twice: " + output.text);
      } else {
        draft_.plan.outputs.push_back(*found);
      }
    }
  }

  /// Finds the node by its slot, or by its id if its slots have other names.
  [[nodiscard]] std::optional<std::uint32_t> find_output(std::string_view name) const {
    if (const auto slot = slots_.find(name); slot != slots_.end()) return slot->second;
    if (const auto node = ids_.find(name); node != ids_.end()) return node->second;
    return std::nullopt;
  }

  void check_cycles() {
    CompiledPlan& plan = draft_.plan;
    const std::vector<std::uint32_t> order = order_nodes(plan, false);
    if (const auto cycle = find_cycle(plan, order, false); !cycle.empty()) {
      const base::ValuePlace& where = artifact_.nodes[cycle.front()].where;
      add(ProblemCode::kCycle, where, "Nodes wait for each other: " + cycle_text(plan, cycle));
      return;
    }
    const std::vector<std::uint32_t> with_fallbacks = order_nodes(plan, true);
    const auto cycle = find_cycle(plan, with_fallbacks, true);
    if (cycle.empty()) return;
    for (const std::uint32_t node : cycle) {
      if (plan.nodes[node].fallback_node == kNoPlanNode) continue;
      add(ProblemCode::kBadFallback,
          artifact_.nodes[node].on_failure.where,
          "A fallback needs the node that it replaces: " + cycle_text(plan, cycle));
      return;
    }
  }

  /// `hint` is a text, or a function that finds one.
  template <class Hint = std::string>
  void add(ProblemCode code,
           const base::ValuePlace& where,
           std::string message,
           const Hint& hint = {}) {
    context_.reporter.add(code, where, std::move(message), hint);
  }

  const Artifact& artifact_;
  const CheckContext& context_;
  Draft draft_;
  NameTable ids_;
  NameTable slots_;
  std::vector<std::string_view> slot_names_;  // of `slots_`, sorted; made for the first suggestion
};

}  // namespace

Draft resolve(const Artifact& artifact, const CheckContext& context) {
  return Resolver(artifact, context).resolve();
}

std::vector<std::uint32_t> topological_order(const CompiledPlan& plan) {
  return order_nodes(plan, true);
}

void reorder(CompiledPlan& plan, const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> place(plan.nodes.size(), kNoPlanNode);
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<CompiledNode> nodes;
  nodes.reserve(order.size());
  for (const std::uint32_t old : order) {
    CompiledNode& node = nodes.emplace_back(std::move(plan.nodes[old]));
    for (PlanInput& input : node.inputs) {
      if (auto* from = std::get_if<NodeInput>(&input)) from->node = place[from->node];
    }
    for (std::uint32_t& other : node.waits_for) other = place[other];
    if (node.fallback_node != kNoPlanNode) node.fallback_node = place[node.fallback_node];
  }
  plan.nodes = std::move(nodes);
  for (std::uint32_t& output : plan.outputs) output = place[output];
  if (plan.viewer_node != kNoPlanNode) plan.viewer_node = place[plan.viewer_node];
}

}  // namespace millrace::plan
