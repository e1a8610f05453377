#pragma once

#include "graph/compile/descriptor.h"
#include "graph/format/reporter.h"
#include "graph/format/spec.h"

namespace millrace::graph {

/// Checks `config` of a component against the fields of its type.
void check_config(const ComponentSpec& component,
                  const ComponentDescriptor& type,
                  Reporter& reporter);

}  // namespace millrace::graph
