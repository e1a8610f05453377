#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/compile/component_registry.h"
#include "graph/compile/descriptor.h"
#include "graph/format/reporter.h"
#include "graph/format/spec.h"

namespace millrace::graph {

/// What all checks work on. Lifetime: borrows everything.
struct CheckContext {
  const GraphSpec& spec;
  const ComponentRegistry& registry;
  Reporter& reporter;
};

struct LinkedEdge {
  std::uint32_t spec_index;
  std::uint32_t from;  ///< component
  std::uint32_t to;
  std::string_view from_port;
  std::string_view to_port;
};

struct LinkedComponent {
  const ComponentDescriptor* type = nullptr;  ///< nullptr: not known
  std::optional<std::uint32_t> lane = {};     ///< nothing: not known
  std::vector<std::uint32_t> in = {};         ///< linked edges, in file order
  std::vector<std::uint32_t> out = {};
};

/// The names of a file replaced by indices. Edges that cannot be understood are left out.
struct Links {
  std::vector<LinkedComponent> components;  ///< as in the spec
  std::vector<LinkedEdge> edges;
  std::unordered_map<std::string_view, std::uint32_t> component_by_id;
  /// Whether every edge was understood; if not, nothing is said about edges that seem to be
  /// missing.
  bool has_all_edges = true;
  bool has_all_components = true;

  [[nodiscard]] bool has_edge_to(std::uint32_t component, std::string_view port) const;
};

/// Resolves ids, lanes, types and endpoints, and reports those that do not exist or exist twice.
[[nodiscard]] Links link_graph(const CheckContext& context);

}  // namespace millrace::graph
