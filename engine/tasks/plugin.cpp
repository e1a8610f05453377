#include "tasks/plugin.h"

#include <string>
#include <utility>

#include <dlfcn.h>

#include "base/error.h"
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
  Status status = plugin.register_tasks(staging);
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
  // dlopen would search a bare name along the library path; `./` makes it a file name.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  // RTLD_NOW resolves all symbols now: a missing function must be reported here, not in a request.
  void* object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) {
    return fail(ErrorCode::kNotFound, "Cannot load the plugin: " + std::string(dlerror()), path);
  }
  const void* symbol = dlsym(object, "millrace_task_plugin");
  if (symbol == nullptr) {
    static_cast<void>(dlclose(object));
    return fail(ErrorCode::kInvalidArgument,
                "The file is not a plugin: it exports no millrace_task_plugin",
                path);
  }
  return register_plugin(*static_cast<const TaskPlugin*>(symbol), path, registry);
}

}  // namespace millrace::tasks
