#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "tasks/task_registry.h"

// Tasks in a shared object. It describes itself in one exported constant, so that no code of it is
// called before the versions have been compared:
//
//   MR_TASK_PLUGIN("boost", register_boost)
//
// A plugin is built against the same headers and by the same compiler as the program, and uses the
// engine's functions in the program, which must export them (ENABLE_EXPORTS in CMake).

namespace millrace::tasks {

/// Must change whenever plugins built earlier would misread something.
inline constexpr std::uint32_t kPluginAbiVersion = 1;

/// What a plugin exports under the name `millrace_task_plugin`. The first two fields never move.
struct TaskPlugin {
  std::uint32_t abi_version;
  std::uint32_t struct_bytes;  ///< size of this struct
  std::uint64_t layout;        ///< value of `plugin_layout()` when the plugin was compiled
  const char* name;
  base::Status (*register_tasks)(TaskRegistry& registry);
};

/// A number that differs if a type which plugin and program share differs in size, or if only one
/// of them is built with the address sanitizer.
[[nodiscard]] constexpr std::uint64_t plugin_layout() {
  std::uint64_t layout = sizeof(plan::TaskSpec);
  for (const std::uint64_t part : {sizeof(plan::ParamSpec),
                                   sizeof(plan::CompiledNode),
                                   sizeof(rows::RowSet),
                                   sizeof(RequestContext),
                                   sizeof(NodeContext),
                                   sizeof(TaskCall),
#if __has_feature(address_sanitizer)
                                   std::size_t{1},
#endif
                                   static_cast<std::size_t>(__clang_major__)}) {
    layout = layout * 1'000'003U + part;
  }
  return layout;
}

/// Loads a shared object and registers its tasks: all of them, or on any error none. Errors name
/// the file. The object stays loaded for the life of the process, since bodies live in it.
[[nodiscard]] base::Status load_plugin(const std::string& path, TaskRegistry& registry);

/// Checks the description that a plugin exports and registers its tasks, as load_plugin does.
[[nodiscard]] base::Status register_plugin(const TaskPlugin& plugin,
                                           const std::string& path,
                                           TaskRegistry& registry);

}  // namespace millrace::tasks

/// Makes the file a plugin; `function` is `base::Status(TaskRegistry&)`. At most once per object.
#define MR_TASK_PLUGIN(plugin_name, function)                  \
  extern "C" __attribute__((visibility("default"), used))      \
  const ::millrace::tasks::TaskPlugin millrace_task_plugin = { \
      ::millrace::tasks::kPluginAbiVersion,                    \
      sizeof(::millrace::tasks::TaskPlugin),                   \
      ::millrace::tasks::plugin_layout(),                      \
      plugin_name,                                             \
      function};
