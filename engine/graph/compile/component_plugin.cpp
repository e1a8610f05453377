#include "graph/compile/component_plugin.h"

#include <string>
#include <utility>

#include "base/format.h"
#include "base/plugin_object.h"
#include "base/result.h"
#include "graph/compile/component_registry.h"

namespace millrace::graph {

base::Status register_component_plugin(const ComponentPlugin& plugin,
                                       const std::string& path,
                                       ComponentRegistry& registry) {
  const auto refuse = [&path](std::string message) {
    return base::fail(base::ErrorCode::kInvalidArgument, std::move(message), path);
  };
  if (plugin.abi_version != kComponentPluginAbiVersion ||
      plugin.struct_bytes != sizeof(ComponentPlugin)) {
    return refuse(
        base::format("The plugin was built for another version of the interface: {} instead of {}",
                     plugin.abi_version,
                     kComponentPluginAbiVersion));
  }
  if (plugin.layout != component_plugin_layout()) {
    return refuse("The plugin was built with other headers or flags than this program");
  }
  if (plugin.register_components == nullptr || plugin.name == nullptr) {
    return refuse("The plugin has no name or no function");
  }
  ComponentRegistry staging;
  base::Status status = base::call_plugin([&] { return plugin.register_components(staging); });
  if (status && staging.types().empty()) return refuse("The plugin registers no component type");
  if (status) status = registry.merge(std::move(staging));
  if (status) return {};
  return refuse(base::format(
      "{} (plugin {}, {})", status.error().message(), plugin.name, status.error().where()));
}

base::Status load_component_plugin(const std::string& path, ComponentRegistry& registry) {
  return base::use_plugin(path, "millrace_component_plugin", [&](const void* exported) {
    return register_component_plugin(
        *static_cast<const ComponentPlugin*>(exported), path, registry);
  });
}

}  // namespace millrace::graph
