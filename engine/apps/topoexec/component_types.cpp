#include "apps/topoexec/component_types.h"

#include <memory>
#include <string>

#include "apps/topoexec/flags.h"
#include "apps/topoexec/project_plans.h"
#include "base/result.h"
#include "bridge/bridge_registry.h"
#include "graph/compile/component_plugin.h"
#include "graph/compile/component_registry.h"

namespace millrace::topoexec {

base::Result<graph::ComponentRegistry> component_types(const Flags& flags) {
  graph::ComponentRegistry registry = bridge::bridge_registry(std::make_shared<ProjectPlans>());
  for (const std::string& plugin : flags.plugins) {
    MR_TRY_STATUS(graph::load_component_plugin(plugin, registry));
  }
  return registry;
}

}  // namespace millrace::topoexec
