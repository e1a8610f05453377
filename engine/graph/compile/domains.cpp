#include "graph/compile/domains.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "graph/compile/digraph.h"
#include "graph/compile/links.h"
#include "graph/format/diagnostic.h"
#include "graph/format/duration_text.h"
#include "graph/format/reporter.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"

namespace millrace::graph {
namespace {

constexpr std::string_view kMainDomain = "main";

bool owns_domain(const LaneSpec& lane) {
  return lane.type == LaneType::kIsolatedThread || lane.type == LaneType::kManualStep ||
         (lane.type == LaneType::kFixedRate && lane.independent);
}

class DomainPlanner {
 public:
  DomainPlanner(const CheckContext& context, const Links& links)
      : spec_(context.spec), links_(links), reporter_(context.reporter) {}

  Domains run() {
    assign();
    for (DomainPlan& domain : result_.domains) set_pace(domain);
    check_rates();
    check_crossings();
    check_blocking();
    return std::move(result_);
  }

 private:
  void assign() {
    std::vector<bool> is_used(spec_.lanes.size(), false);
    for (const LinkedComponent& component : links_.components) {
      if (component.lane) is_used[*component.lane] = true;
    }
    result_.lane_domain.assign(spec_.lanes.size(), kNoDomain);
    DomainPlan main{.id = std::string(kMainDomain)};
    for (std::uint32_t i = 0; i < spec_.lanes.size(); ++i) {
      if (is_used[i] && !owns_domain(spec_.lanes[i])) main.lanes.push_back(i);
    }
    if (!main.lanes.empty()) add(std::move(main));
    std::uint32_t rank = 0;
    for (std::uint32_t i = 0; i < spec_.lanes.size(); ++i) {
      if (!owns_domain(spec_.lanes[i])) continue;
      if (spec_.lanes[i].id == kMainDomain) report_name(spec_.lanes[i]);
      if (is_used[i]) add({.id = spec_.lanes[i].id, .rank = ++rank, .lanes = {i}});
    }
  }

  void add(DomainPlan domain) {
    const auto index = static_cast<std::uint32_t>(result_.domains.size());
    for (const std::uint32_t lane : domain.lanes) result_.lane_domain[lane] = index;
    result_.domains.push_back(std::move(domain));
  }

  void report_name(const LaneSpec& lane) {
    reporter_.at_key(DiagnosticCode::kDuplicateId,
                     *lane.source,
                     "The lane owns a domain, and 'main' is the domain of the other lanes",
                     "give the lane another id");
  }

  void set_pace(DomainPlan& domain) {
    bool has_rate = false;
    bool has_grid = false;
    Duration simulated{};
    Duration grid{};
    const auto keep_shortest = [](Duration& shortest, Duration period) {
      if (period == Duration::zero()) return;
      if (shortest == Duration::zero() || period < shortest) shortest = period;
    };
    for (const std::uint32_t index : domain.lanes) {
      const LaneSpec& lane = spec_.lanes[index];
      if (lane.type == LaneType::kManualStep) domain.pace = PaceType::kManual;
      if (lane.type != LaneType::kFixedRate) continue;
      has_rate = true;
      has_grid |= lane.wall_clock_enabled;
      keep_shortest(simulated, lane_period(lane));
      if (lane.wall_clock_enabled) keep_shortest(grid, lane_period(lane));
    }
    if (!has_rate) return;
    domain.pace = has_grid ? PaceType::kGrid : PaceType::kSimulated;
    domain.period = has_grid ? grid : simulated;
  }

  void check_rates() {
    for (const DomainPlan& domain : result_.domains) {
      for (const std::uint32_t index : domain.lanes) {
        const LaneSpec& lane = spec_.lanes[index];
        const Duration period = lane_period(lane);
        const bool has_rate = lane.type == LaneType::kFixedRate && period > Duration::zero();
        if (!has_rate || period == domain.period) continue;
        reporter_.at_key(
            DiagnosticCode::kRatesShareOneLoop,
            *lane.source,
            base::format("Lane '{}' asks for {} but ticks every {}, as its domain does",
                         lane.id,
                         duration_text(period),
                         duration_text(domain.period)));
      }
    }
  }

  [[nodiscard]] std::uint32_t domain_of(std::uint32_t component) const {
    const auto lane = links_.components[component].lane;
    return lane ? result_.lane_domain[*lane] : kNoDomain;
  }

  void check_crossings() {
    std::vector<std::uint32_t> loop_of(links_.components.size(), UINT32_MAX);
    for (std::uint32_t i = 0; i < spec_.loops.size(); ++i) check_loop(i, loop_of);
    for (const LinkedEdge& edge : links_.edges) {
      const EdgeSpec& spec = spec_.edges[edge.spec_index];
      const std::uint32_t from = domain_of(edge.from);
      const std::uint32_t to = domain_of(edge.to);
      const bool is_known = from != kNoDomain && to != kNoDomain;
      if (spec.kind != EdgeKind::kImmediate || !is_known || from == to) continue;
      const bool is_in_loop =
          loop_of[edge.from] != UINT32_MAX && loop_of[edge.from] == loop_of[edge.to];
      if (is_in_loop) continue;  // the loop was reported
      reporter_.at_member(DiagnosticCode::kImmediateEdgeCrossesDomain,
                          spec.source,
                          "kind",
                          base::format("'{}' is in domain '{}', '{}' in '{}'",
                                       spec.from,
                                       result_.domains[from].id,
                                       spec.to,
                                       result_.domains[to].id));
    }
  }

  void check_loop(std::uint32_t index, std::vector<std::uint32_t>& loop_of) {
    const CompositeLoopSpec& loop = spec_.loops[index];
    std::uint32_t first = kNoDomain;
    bool is_reported = false;
    for (const std::string& id : loop.components) {
      const auto member = links_.component_by_id.find(id);
      if (member == links_.component_by_id.end()) continue;
      loop_of[member->second] = index;
      const std::uint32_t domain = domain_of(member->second);
      if (domain == kNoDomain) continue;
      if (first == kNoDomain) first = domain;
      if (domain == first || is_reported) continue;
      is_reported = true;
      reporter_.at_member(DiagnosticCode::kLoopCrossesDomain,
                          loop.source,
                          "components",
                          base::format("'{}' is in domain '{}', others in '{}'",
                                       id,
                                       result_.domains[domain].id,
                                       result_.domains[first].id));
    }
  }

  /// A domain that waits for room waits for the domain that reads; a circle of them waits for ever.
  void check_blocking() {
    Digraph waits(result_.domains.size());
    std::vector<const LinkedEdge*> blocking;
    for (const LinkedEdge& edge : links_.edges) {
      const auto lane = links_.components[edge.from].lane;
      const bool is_blocking =
          spec_.edges[edge.spec_index].policy.overflow == EdgeOverflow::kBlock && lane &&
          spec_.lanes[*lane].type == LaneType::kIsolatedThread && domain_of(edge.to) != kNoDomain;
      if (!is_blocking) continue;
      waits.add_edge(domain_of(edge.from), domain_of(edge.to));
      blocking.push_back(&edge);
    }
    const StrongComponents circles = find_strong_components(waits);
    std::vector<bool> is_reported(circles.count, false);
    for (const LinkedEdge* edge : blocking) {
      const std::uint32_t circle = circles.of[domain_of(edge->from)];
      if (circle != circles.of[domain_of(edge->to)] || is_reported[circle]) continue;
      is_reported[circle] = true;
      const EdgeSpec& spec = spec_.edges[edge->spec_index];
      reporter_.at_member(
          DiagnosticCode::kBlockingCycle,
          spec.policy.source,
          "overflow",
          base::format("Domains that wait for each other: {}", names_in(circles, circle)));
    }
  }

  [[nodiscard]] std::string names_in(const StrongComponents& circles, std::uint32_t circle) const {
    std::string names;
    for (std::size_t i = 0; i < result_.domains.size(); ++i) {
      if (circles.of[i] != circle) continue;
      if (!names.empty()) names += ", ";
      names += result_.domains[i].id;
    }
    return names;
  }

  const GraphSpec& spec_;
  const Links& links_;
  Reporter& reporter_;
  Domains result_;
};

}  // namespace

Duration lane_period(const LaneSpec& lane) {
  if (lane.period > Duration::zero() || !(lane.hz > 0)) return lane.period;
  constexpr double kNanosecondsPerSecond = 1e9;
  constexpr auto kLongest = static_cast<double>(kDurationMax.count());
  const double period = std::clamp(kNanosecondsPerSecond / lane.hz, 1.0, kLongest);
  return std::min(Duration(std::llround(period)), kDurationMax);
}

Domains plan_domains(const CheckContext& context, const Links& links) {
  return DomainPlanner(context, links).run();
}

}  // namespace millrace::graph
