#pragma once

#include <string>

#include "runtime/topology/topology.h"

// A flow as text that other tools draw. Boxes are cpu nodes, rounded ones cheap nodes, ellipses
// (stadiums in Mermaid) async nodes; a dotted arrow leads from a node to the one that stands in for
// it. Nodes come in the order of their declaration, so that the text changes only with the flow.

namespace millrace::runtime {

/// Gives `topology` in the language of Graphviz, whose program `dot` draws it.
[[nodiscard]] std::string to_dot(const Topology& topology);

/// Gives `topology` as a Mermaid flowchart, which Markdown viewers draw.
[[nodiscard]] std::string to_mermaid(const Topology& topology);

}  // namespace millrace::runtime
