#pragma once

#include "base/result.h"
#include "graph/compile/descriptor.h"
#include "graph/format/reporter.h"
#include "graph/format/spec.h"
#include "graph/payload.h"

namespace millrace::graph {

/// Checks `config` of a component against the fields of its type.
void check_config(const ComponentSpec& component,
                  const ComponentDescriptor& type,
                  Reporter& reporter);

/// Says whether a component that runs with the configuration `now` could be given another: what a
/// file may say, without a change of fields that are read only at the start.
[[nodiscard]] base::Status check_new_config(const ComponentDescriptor& type,
                                            const Payload& now,
                                            const Payload& wanted);

}  // namespace millrace::graph
