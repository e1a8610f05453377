#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "graph/body/component.h"
#include "graph/body/graph_context.h"
#include "graph/compile/component_registry.h"
#include "graph/compile/descriptor.h"
#include "graph/payload.h"

// Component types in a shared object. It describes itself in one exported constant, so that no code
// of it is called before the versions have been compared:
//
//   MR_COMPONENT_PLUGIN("smooth", register_smooth)
//
// A plugin is built against the same headers and by the same compiler as the program, and uses the
// engine's functions in the program, which must export them (ENABLE_EXPORTS in CMake).

namespace millrace::graph {

/// Must change whenever plugins built earlier would misread something.
inline constexpr std::uint32_t kComponentPluginAbiVersion = 2;

/// What a plugin exports under the name `millrace_component_plugin`. The first two fields never
/// move.
struct ComponentPlugin {
  std::uint32_t abi_version;
  std::uint32_t struct_bytes;  ///< size of this struct
  std::uint64_t layout;        ///< value of `component_plugin_layout()` when it was compiled
  const char* name;
  base::Status (*register_components)(ComponentRegistry& registry);
};

/// A number that differs if a type which plugin and program share differs in size, or if only one
/// of them is built with the address sanitizer.
[[nodiscard]] constexpr std::uint64_t component_plugin_layout() {
  std::uint64_t layout = sizeof(ComponentDescriptor);
  for (const std::uint64_t part : {sizeof(ConfigField),
                                   sizeof(ComponentSetup),
                                   sizeof(Component),
                                   sizeof(Payload),
                                   sizeof(InputMessage),
                                   sizeof(GraphContext),
#if __has_feature(address_sanitizer)
                                   std::size_t{1},
#endif
                                   static_cast<std::size_t>(__clang_major__)}) {
    layout = layout * 1'000'003U + part;
  }
  return layout;
}

/// Loads a shared object and registers its component types: all of them, or on any error none.
/// Errors name the file. The object stays loaded for the life of the process.
[[nodiscard]] base::Status load_component_plugin(const std::string& path,
                                                 ComponentRegistry& registry);

/// Checks the description that a plugin exports and registers its types, as
/// `load_component_plugin` does.
[[nodiscard]] base::Status register_component_plugin(const ComponentPlugin& plugin,
                                                     const std::string& path,
                                                     ComponentRegistry& registry);

}  // namespace millrace::graph

/// Makes the file a plugin; `function` is `base::Status(ComponentRegistry&)`. At most once per
/// object.
#define MR_COMPONENT_PLUGIN(plugin_name, function)                       \
  extern "C" __attribute__((visibility("default"), used))                \
  const ::millrace::graph::ComponentPlugin millrace_component_plugin = { \
      ::millrace::graph::kComponentPluginAbiVersion,                     \
      sizeof(::millrace::graph::ComponentPlugin),                        \
      ::millrace::graph::component_plugin_layout(),                      \
      plugin_name,                                                       \
      function};
