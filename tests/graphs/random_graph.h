#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference_run.h"

// Random graph files as data: each optional field is a string of its own, so that a failing graph
// can be made smaller one field at a time.

namespace millrace::graph_reference {

/// `key: value` texts of one YAML object in the flow style.
using Fields = std::vector<std::string>;

struct LaneModel {
  std::string id;
  Fields fields = {};  ///< the first is the type
};

/// Where a component is written: in the root, in a subgraph or in a template.
enum class Home : std::uint8_t { kRoot, kSubgraph, kTemplate };

struct ComponentModel {
  std::string id;
  std::string type;
  std::string lane;
  Home home = Home::kRoot;
  Fields execution = {};
  Fields trigger = {};  ///< empty: no `trigger_policy`
  Fields sources = {};  ///< of one event source; empty: none
  Fields config = {};
};

struct EdgeModel {
  std::string id;
  std::string kind;
  std::string from;
  std::string to;
  std::string port;  ///< of `to`
  Fields policy = {};
};

struct LoopModel {
  std::string id;
  std::vector<std::string> members;
  Fields policy = {};
};

struct GraphModel {
  std::vector<LaneModel> lanes;
  std::vector<ComponentModel> components;
  std::vector<EdgeModel> edges;
  std::vector<LoopModel> loops;
  RunOptions options;

  [[nodiscard]] std::string yaml() const;
};

/// Makes a graph from a seed. Most are valid files; the caller asks the compiler.
[[nodiscard]] GraphModel make_random_graph(std::uint64_t seed);

/// The flags of `topoexec graph run` that mean `options`; injections as comments.
[[nodiscard]] std::string options_text(const RunOptions& options);

}  // namespace millrace::graph_reference
