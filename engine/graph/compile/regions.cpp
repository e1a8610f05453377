#include "graph/compile/regions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "graph/compile/composite_loops.h"
#include "graph/compile/digraph.h"
#include "graph/compile/domains.h"
#include "graph/compile/links.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"

namespace millrace::graph {
namespace {

class RegionPlanner {
 public:
  RegionPlanner(const CheckContext& context, const Links& links, const Domains& domains)
      : context_(context), spec_(context.spec), links_(links), domains_(domains) {}

  Regions run() {
    const std::vector<std::uint32_t> loop_of = find_composite_loops(context_, links_);
    make_regions(loop_of);
    connect();
    place_in_order();
    // Regions on a cycle that was reported are never placed.
    if (result_.order.size() == regions_.size()) cut_stages();
    return std::move(result_);
  }

 private:
  /// Makes regions in the order in which their first members are declared.
  void make_regions(const std::vector<std::uint32_t>& loop_of) {
    std::vector<std::uint32_t> region_of_loop(spec_.loops.size(), UINT32_MAX);
    region_of_.resize(links_.components.size());
    for (std::uint32_t i = 0; i < links_.components.size(); ++i) {
      const std::uint32_t loop = loop_of[i];
      std::uint32_t region = loop == kNoLoop ? UINT32_MAX : region_of_loop[loop];
      if (region == UINT32_MAX) {
        region = static_cast<std::uint32_t>(regions_.size());
        regions_.push_back({.loop = loop, .priority = spec_.components[i].execution.priority});
        if (loop != kNoLoop) region_of_loop[loop] = region;
        if (loop == kNoLoop) regions_.back().members = {i};
      }
      RegionPlan& plan = regions_[region];
      region_of_[i] = region;
      plan.priority = std::min(plan.priority, spec_.components[i].execution.priority);
      const auto lane = links_.components[i].lane;
      if (lane) plan.domain = domains_.lane_domain[*lane];
    }
    for (RegionPlan& plan : regions_) {
      if (plan.loop == kNoLoop) continue;
      for (const std::string& id : spec_.loops[plan.loop].components) {
        const auto member = links_.component_by_id.find(id);
        if (member != links_.component_by_id.end()) plan.members.push_back(member->second);
      }
    }
  }

  void connect() {
    targets_.resize(regions_.size());
    for (const LinkedEdge& edge : links_.edges) {
      if (spec_.edges[edge.spec_index].kind != EdgeKind::kImmediate) continue;
      const std::uint32_t from = region_of_[edge.from];
      const std::uint32_t to = region_of_[edge.to];
      if (from != to) targets_[from].push_back(to);
    }
  }

  void place_in_order() {
    std::vector<std::uint32_t> open_count(regions_.size(), 0);
    for (const auto& targets : targets_) {
      for (const std::uint32_t target : targets) ++open_count[target];
    }
    using Key = std::pair<PriorityClass, std::uint32_t>;
    std::priority_queue<Key, std::vector<Key>, std::greater<>> ready;
    const auto add_ready = [&](std::uint32_t region) {
      ready.emplace(regions_[region].priority, region);
    };
    for (std::uint32_t i = 0; i < regions_.size(); ++i) {
      if (open_count[i] == 0) add_ready(i);
    }
    position_.assign(regions_.size(), 0);
    result_.order.reserve(regions_.size());
    while (!ready.empty()) {
      const std::uint32_t region = ready.top().second;
      ready.pop();
      position_[region] = static_cast<std::uint32_t>(result_.order.size());
      result_.order.push_back(std::move(regions_[region]));
      for (const std::uint32_t target : targets_[region]) {
        if (--open_count[target] == 0) add_ready(target);
      }
    }
    for (const std::uint32_t region : region_of_) {
      result_.of_component.push_back(position_[region]);
    }
  }

  void cut_stages() {
    // A region belongs to a later stage than each region it depends on.
    std::vector<std::uint32_t> earliest(result_.order.size(), 0);
    std::vector<std::vector<std::uint32_t>> targets(result_.order.size());
    for (std::uint32_t i = 0; i < targets_.size(); ++i) {
      for (const std::uint32_t target : targets_[i]) {
        targets[position_[i]].push_back(position_[target]);
      }
    }
    for (std::uint32_t domain = 0; domain < domains_.domains.size(); ++domain) {
      const auto first = static_cast<std::uint32_t>(result_.stages.size());
      bool is_first = true;
      for (std::uint32_t i = 0; i < result_.order.size(); ++i) {
        RegionPlan& region = result_.order[i];
        if (region.domain != domain) continue;
        const auto current = static_cast<std::uint32_t>(result_.stages.size());
        if (is_first || first + earliest[i] >= current) result_.stages.emplace_back();
        is_first = false;
        region.stage = static_cast<std::uint32_t>(result_.stages.size()) - 1;
        result_.stages.back().push_back(i);
        for (const std::uint32_t target : targets[i]) {
          earliest[target] = std::max(earliest[target], region.stage - first + 1);
        }
      }
    }
  }

  const CheckContext& context_;
  const GraphSpec& spec_;
  const Links& links_;
  const Domains& domains_;
  std::vector<RegionPlan> regions_;  // in order of declaration; moved to the result
  std::vector<std::uint32_t> region_of_;
  std::vector<std::vector<std::uint32_t>> targets_;  // over immediate edges, by declaration
  std::vector<std::uint32_t> position_;              // declaration → order
  Regions result_;
};

}  // namespace

Regions plan_regions(const CheckContext& context, const Links& links, const Domains& domains) {
  return RegionPlanner(context, links, domains).run();
}

}  // namespace millrace::graph
