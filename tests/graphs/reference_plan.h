#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "graph/format/spec.h"

// What a graph file means, derived from `docs/contract/graphs.md` a second time and as plainly as
// possible: nothing here is shared with the compiler of the engine but the structs of a read file.
// Only valid files are given to it, so it checks nothing.

namespace millrace::graph_reference {

using base::Duration;

struct PlannedTrigger {
  graph::TriggerType type = graph::TriggerType::kManual;
  bool is_timer = false;
  bool is_injected = false;  ///< the host causes its invocations
  Duration timer_period{};
  std::vector<std::string> inputs = {};
  graph::TriggerSpec rule = {};
};

struct PlannedEdge {
  const graph::EdgeSpec* spec = nullptr;
  std::size_t from = 0;  ///< component
  std::size_t to = 0;
  std::string from_port = {};
  std::string to_port = {};
  bool is_inside_loop = false;  ///< immediate, and both ends belong to the same loop
};

struct PlannedComponent {
  const graph::ComponentSpec* spec = nullptr;
  std::size_t lane = 0;
  std::size_t domain = 0;
  std::optional<std::size_t> loop = {};
  PlannedTrigger trigger = {};
  std::vector<std::size_t> in = {};  ///< edges
  std::vector<std::size_t> out = {};
};

/// One component, or the members of one composite loop in listed order.
struct PlannedRegion {
  std::vector<std::size_t> members = {};
  std::optional<std::size_t> loop = {};
  graph::PriorityClass priority = graph::PriorityClass::kBackground;
  std::size_t domain = 0;
};

struct PlannedDomain {
  std::string id = {};
  graph::PaceType pace = graph::PaceType::kReady;
  Duration period{};
  Duration phase{};
  graph::OverrunPolicy overrun = graph::OverrunPolicy::kDropTick;
  std::vector<std::size_t> lanes = {};
  std::vector<std::vector<std::size_t>> stages = {};  ///< regions, in region order
};

struct Plan {
  const graph::GraphSpec* spec = nullptr;
  std::vector<PlannedComponent> components = {};
  std::vector<PlannedEdge> edges = {};
  std::vector<PlannedRegion> regions = {};  ///< in region order
  std::vector<PlannedDomain> domains = {};  ///< by rank
};

/// Lifetime: the plan borrows the file.
[[nodiscard]] Plan make_plan(const graph::GraphSpec& spec);

/// Gives the period that a lane asks for: a positive `period` wins over `hz`.
[[nodiscard]] Duration period_of(const graph::LaneSpec& lane);

}  // namespace millrace::graph_reference
