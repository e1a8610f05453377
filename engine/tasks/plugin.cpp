#include "tasks/plugin.h"

#include <string>
#include <utility>

#include "base/error.h"
#include "base/plugin_object.h"
#include "base/result.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {

using base::ErrorCode;
using base::fail;
using base::Status;

Status register_plugin(const TaskPlugin& plugin, const std::string& path, TaskRegistry& registry) {
  if (plugin.abi_version != kPluginAbiVersion || plugin.struct_bytes != sizeof(TaskPlugin)) {
    return fail(ErrorCode::kInvalidArgument,
                "The plugin was built for another version of the interface: " +
                    std::to_string(plugin.abi_version) + " instead of " +
                    std::to_string(kPluginAbiVersion),
                path);
  }
  if (plugin.layout != plugin_layout()) {
    return fail(ErrorCode::kInvalidArgument,
                "The plugin was built with other headers or flags than this program",
                path);
  }
  if (plugin.register_tasks == nullptr || plugin.name == nullptr) {
    return fail(ErrorCode::kInvalidArgument, "The plugin has no name or no function", path);
  }
  TaskRegistry staging;
  Status status = base::call_plugin([&] { return plugin.register_tasks(staging); });
  if (status && staging.tasks().empty()) {
    return fail(ErrorCode::kInvalidArgument, "The plugin registers no task", path);
  }
  if (status) status = registry.merge(std::move(staging));
  if (status) return {};
  return fail(
      status.error().code(),
      status.error().message() + " (plugin " + plugin.name + ", " + status.error().where() + ")",
      path);
}

Status load_plugin(const std::string& path, TaskRegistry& registry) {
  return base::use_plugin(path, "millrace_task_plugin", [&](const void* exported) {
    return register_plugin(*static_cast<const TaskPlugin*>(exported), path, registry);
  });
}

}  // namespace millrace::tasks
