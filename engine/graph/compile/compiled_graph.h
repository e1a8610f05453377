#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/compile/component_registry.h"
#include "graph/compile/domains.h"
#include "graph/compile/regions.h"
#include "graph/compile/triggers.h"
#include "graph/format/diagnostic.h"
#include "graph/format/graph_file.h"
#include "graph/format/limits.h"
#include "graph/format/spec.h"
#include "graph/payload.h"

// The flat form of a graph: arrays whose items name each other by index. Nothing in it changes
// after it was compiled.

namespace millrace::graph {

struct CompiledComponent {
  std::string id;
  std::string type;
  BoundaryRole role = BoundaryRole::kNone;
  std::uint32_t lane = 0;
  std::uint32_t domain = 0;
  std::uint32_t region = 0;
  ExecutionSpec execution = {};
  TriggerPlan trigger = {};
  Duration max_age{};            ///< of what an output boundary is given; 0: any
  Payload config = {};           ///< an object, or null
  bool is_host_driven = false;   ///< the host causes its invocations
  bool is_free_running = false;  ///< runs in every epoch and never finishes by itself
};

struct CompiledEdge {
  std::string id;
  EdgeKind kind = EdgeKind::kImmediate;
  std::uint32_t from = 0;  ///< component
  std::uint32_t to = 0;
  std::string from_port = {};
  std::string to_port = {};
  ChannelSpec policy = {};
  bool crosses_domains = false;
};

struct CompiledRegion {
  std::string id;  ///< that of the loop or component
  bool is_loop = false;
  PriorityClass priority = PriorityClass::kNormal;
  std::uint32_t domain = 0;
  std::uint32_t stage = 0;
  std::uint32_t first_member = 0;  ///< into `region_members`
  std::uint32_t member_count = 0;
};

/// A graph that is ready to run.
/// Threading: any thread; immutable.
struct CompiledGraph {
  std::string name;
  std::int64_t schema_version = 1;
  Payload config = {};
  TasksSpec tasks = {};
  std::vector<LaneSpec> lanes;  ///< as declared
  std::vector<DomainPlan> domains;
  std::vector<std::uint32_t> lane_domain;  ///< kNoDomain: the lane has no components
  std::vector<CompiledComponent> components;
  std::vector<CompiledEdge> edges;
  std::vector<CompiledRegion> regions;  ///< in region order
  std::vector<std::uint32_t> region_members;
  std::vector<std::vector<std::uint32_t>> stages;
  std::vector<CompositeLoopSpec> loops;
  std::vector<std::uint32_t> start_order;
  /// Edges sorted by producer and by consumer, with the place where each component's begin.
  std::vector<std::uint32_t> edges_out, edges_in, first_out, first_in;

  [[nodiscard]] std::span<const std::uint32_t> members(const CompiledRegion& region) const {
    return std::span(region_members).subspan(region.first_member, region.member_count);
  }
  [[nodiscard]] std::span<const std::uint32_t> out(std::uint32_t component) const;
  [[nodiscard]] std::span<const std::uint32_t> in(std::uint32_t component) const;
  [[nodiscard]] std::optional<std::uint32_t> find_component(std::string_view id) const;
  /// Gives `component.port`.
  [[nodiscard]] std::string from_text(const CompiledEdge& edge) const;
  [[nodiscard]] std::string to_text(const CompiledEdge& edge) const;
};

/// What became of a file: a graph if nothing is wrong with it, and all diagnostics in any case.
struct CompileResult {
  DiagnosticReport report;
  std::optional<CompiledGraph> graph;
};

/// Checks a file that was read and compiles it. Makes no components.
[[nodiscard]] CompileResult compile_graph(GraphFile file, const ComponentRegistry& registry);

/// Reads, checks and compiles a text.
[[nodiscard]] CompileResult compile_text(std::string_view text,
                                         TextFormat format,
                                         const ComponentRegistry& registry,
                                         const GraphLimits& limits = {});

}  // namespace millrace::graph
