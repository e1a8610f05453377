#pragma once

#include "apps/topoexec/flags.h"
#include "base/result.h"
#include "graph/compile/component_registry.h"

namespace millrace::topoexec {

/// The component types that files may use: the built-in ones and those of the plugins that the
/// flags name. Fails if a plugin is refused.
[[nodiscard]] base::Result<graph::ComponentRegistry> component_types(const Flags& flags);

}  // namespace millrace::topoexec
