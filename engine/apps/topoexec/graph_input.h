#pragma once

#include <string>

#include "apps/topoexec/flags.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"

namespace millrace::topoexec {

/// What a command that runs a graph works on.
/// Lifetime: borrows.
struct GraphInput {
  const Flags& flags;
  const graph::ComponentRegistry& types;
  const std::string& text;  ///< of the file
  const graph::CompiledGraph& graph;
};

}  // namespace millrace::topoexec
