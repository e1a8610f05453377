#include "graph/compile/composite_loops.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/formats/json_document.h"
#include "graph/compile/digraph.h"
#include "graph/compile/links.h"
#include "graph/format/diagnostic.h"
#include "graph/format/reporter.h"
#include "graph/format/spec.h"

namespace millrace::graph {
namespace {

/// Gives the item of a list field, for the place of a message.
std::optional<base::JsonValue> find_item(const std::optional<base::JsonValue>& object,
                                         std::string_view field,
                                         std::size_t position) {
  const auto list = object ? object->find_member(field) : std::nullopt;
  if (!list) return object;
  for (const base::JsonValue item : list->children()) {
    if (position-- == 0) return item;
  }
  return object;
}

/// Members that a message names; more are counted.
constexpr std::size_t kNamedMax = 16;

class LoopFinder {
 public:
  LoopFinder(const CheckContext& context, const Links& links)
      : spec_(context.spec),
        links_(links),
        reporter_(context.reporter),
        loop_of_(links.components.size(), kNoLoop) {}

  std::vector<std::uint32_t> run() {
    find_cycles();
    std::vector<bool> is_claimed(cycles_.count, false);
    for (std::uint32_t i = 0; i < spec_.loops.size(); ++i) {
      for (const std::uint32_t member : claim_members(i)) is_claimed[cycles_.of[member]] = true;
    }
    report_unclaimed(is_claimed);
    return std::move(loop_of_);
  }

 private:
  void find_cycles() {
    Digraph immediate(links_.components.size());
    std::vector<std::uint32_t> selves;
    for (const LinkedEdge& edge : links_.edges) {
      if (spec_.edges[edge.spec_index].kind != EdgeKind::kImmediate) continue;
      immediate.add_edge(edge.from, edge.to);
      if (edge.from == edge.to) selves.push_back(edge.from);
    }
    cycles_ = find_strong_components(immediate);
    is_cyclic_.resize(cycles_.count);
    for (std::uint32_t i = 0; i < cycles_.count; ++i) is_cyclic_[i] = cycles_.sizes[i] > 1;
    for (const std::uint32_t self : selves) is_cyclic_[cycles_.of[self]] = true;
  }

  /// Assigns the members of one loop and checks that they are one whole cycle.
  std::vector<std::uint32_t> claim_members(std::uint32_t index) {
    const CompositeLoopSpec& loop = spec_.loops[index];
    std::vector<std::uint32_t> members;
    bool is_good = loop.is_readable;
    for (std::size_t i = 0; i < loop.components.size(); ++i) {
      const auto found = links_.component_by_id.find(loop.components[i]);
      if (found == links_.component_by_id.end()) {
        if (links_.has_all_components) {
          report_item(DiagnosticCode::kUnknownComponent, loop, i, "No component has the id '{}'");
        }
        is_good = false;
        continue;
      }
      const std::uint32_t component = found->second;
      if (loop_of_[component] == index) {
        report_item(DiagnosticCode::kDuplicateId, loop, i, "'{}' is listed twice");
        is_good = false;
      } else if (loop_of_[component] != kNoLoop) {
        report_item(
            DiagnosticCode::kOverlappingCompositeLoops, loop, i, "'{}' is in another loop too");
        is_good = false;
      } else {
        loop_of_[component] = index;
      }
      members.push_back(component);
    }
    if (is_good && links_.has_all_edges) check_cycle(loop, members);
    return members;
  }

  void report_item(DiagnosticCode code,
                   const CompositeLoopSpec& loop,
                   std::size_t position,
                   std::string_view pattern) {
    const std::size_t hole = pattern.find("{}");
    std::string message(pattern.substr(0, hole));
    message += loop.components[position];
    message += pattern.substr(hole + 2);
    reporter_.at_value(code, *find_item(loop.source, "components", position), std::move(message));
  }

  void check_cycle(const CompositeLoopSpec& loop, const std::vector<std::uint32_t>& members) {
    // The cycle meant is the one that most members are on; without any the loop is decoration.
    std::uint32_t cycle = UINT32_MAX;
    for (const std::uint32_t member : members) {
      const std::uint32_t candidate = cycles_.of[member];
      if (!is_cyclic_[candidate]) continue;
      if (cycle == UINT32_MAX || cycles_.sizes[candidate] > cycles_.sizes[cycle]) cycle = candidate;
    }
    std::vector<std::uint32_t> outside;
    for (const std::uint32_t member : members) {
      if (cycles_.of[member] != cycle) outside.push_back(member);
    }
    if (cycle == UINT32_MAX || !outside.empty()) {
      const std::string names = members.empty() ? "its members" : name_all(outside);
      reporter_.at_member(
          DiagnosticCode::kDecorativeCompositeLoop,
          loop.source,
          "components",
          base::format("Loop '{}': not on its cycle of immediate edges: {}", loop.id, names));
      return;
    }
    if (members.size() == cycles_.sizes[cycle]) return;
    std::vector<std::uint32_t> missing;
    for (std::uint32_t i = 0; i < links_.components.size(); ++i) {
      const bool is_member = std::ranges::find(members, i) != members.end();
      if (cycles_.of[i] == cycle && !is_member) missing.push_back(i);
    }
    reporter_.at_member(
        DiagnosticCode::kPartialCompositeLoop,
        loop.source,
        "components",
        base::format("Loop '{}' lacks members of its cycle: {}", loop.id, name_all(missing)));
  }

  [[nodiscard]] std::string name_all(const std::vector<std::uint32_t>& components) const {
    std::string names;
    for (std::size_t i = 0; i < components.size() && i < kNamedMax; ++i) {
      if (i > 0) names += ", ";
      names += spec_.components[components[i]].id;
    }
    if (components.size() > kNamedMax) {
      names += base::format(" and {} others", components.size() - kNamedMax);
    }
    return names;
  }

  /// Reports each cycle without a loop once, at the last of its edges.
  void report_unclaimed(const std::vector<bool>& is_claimed) {
    std::vector<const LinkedEdge*> last(cycles_.count, nullptr);
    for (const LinkedEdge& edge : links_.edges) {
      if (spec_.edges[edge.spec_index].kind != EdgeKind::kImmediate) continue;
      if (cycles_.of[edge.from] == cycles_.of[edge.to]) last[cycles_.of[edge.from]] = &edge;
    }
    std::vector<std::vector<std::uint32_t>> members(cycles_.count);
    for (std::uint32_t i = 0; i < links_.components.size(); ++i)
      members[cycles_.of[i]].push_back(i);
    for (std::uint32_t cycle = 0; cycle < cycles_.count; ++cycle) {
      if (last[cycle] == nullptr || is_claimed[cycle]) continue;
      reporter_.at_value(
          DiagnosticCode::kImmediateCycleWithoutLoop,
          *spec_.edges[last[cycle]->spec_index].source,
          base::format("Immediate edges form a cycle of {}", name_all(members[cycle])));
    }
  }

  const GraphSpec& spec_;
  const Links& links_;
  Reporter& reporter_;
  StrongComponents cycles_;
  std::vector<bool> is_cyclic_;
  std::vector<std::uint32_t> loop_of_;
};

}  // namespace

std::vector<std::uint32_t> find_composite_loops(const CheckContext& context, const Links& links) {
  return LoopFinder(context, links).run();
}

std::vector<std::uint32_t> plan_start_order(const CheckContext& context, const Links& links) {
  const auto& components = context.spec.components;
  std::vector<std::vector<std::uint32_t>> dependents(components.size());
  std::vector<std::uint32_t> open_count(components.size(), 0);
  for (std::uint32_t i = 0; i < components.size(); ++i) {
    for (std::size_t k = 0; k < components[i].depends_on.size(); ++k) {
      const std::string& id = components[i].depends_on[k];
      const auto found = links.component_by_id.find(id);
      if (found != links.component_by_id.end()) {
        dependents[found->second].push_back(i);
        ++open_count[i];
      } else if (links.has_all_components) {
        context.reporter.at_value(DiagnosticCode::kUnknownComponent,
                                  *find_item(components[i].source, "depends_on", k),
                                  base::format("No component has the id '{}'", id));
      }
    }
  }
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t i = 0; i < components.size(); ++i) {
    if (open_count[i] == 0) ready.push(i);
  }
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    const std::uint32_t next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const std::uint32_t dependent : dependents[next]) {
      if (--open_count[dependent] == 0) ready.push(dependent);
    }
  }
  for (std::uint32_t i = 0; i < components.size(); ++i) {
    if (open_count[i] == 0) continue;
    context.reporter.at_member(
        DiagnosticCode::kDependsOnCycle,
        components[i].source,
        "depends_on",
        base::format("'{}' depends on itself through others, or on such a component",
                     components[i].id));
    break;
  }
  return order;
}

}  // namespace millrace::graph
