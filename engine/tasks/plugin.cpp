#include "tasks/plugin.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include <dlfcn.h>
#include <unistd.h>

#include "base/error.h"
#include "base/result.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {

using base::ErrorCode;
using base::fail;
using base::Status;

namespace {

// The plugin whose code runs now, for the handlers below; null: none. Publishes its text to them.
std::atomic<const char*> running_plugin{nullptr};

constexpr std::array kCrashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// Says which plugin ended the process. Calls only what a signal handler may call.
void name_plugin(const char* what) {
  const char* const path = running_plugin.load(std::memory_order_acquire);
  if (path == nullptr) return;
  for (const char* const part : {"The plugin ", path, what})
    static_cast<void>(::write(STDERR_FILENO, part, std::strlen(part)));
}

/// While it lives, a plugin that crashes or ends the process is named on stderr.
/// Threading: one thread, at the start of a process. Lifetime: borrows the path.
class PluginWatch {
 public:
  explicit PluginWatch(const std::string& path) {
    static const int registered =
        std::atexit([] { name_plugin(" ended the process while it was loaded\n"); });
    static_cast<void>(registered);
    running_plugin.store(path.c_str(), std::memory_order_release);
    struct sigaction action{};
    action.sa_handler = [](int signal) {
      name_plugin(" crashed while it was loaded\n");
      // The handler is reset, so this ends the process as if there had been none.
      ::raise(signal);
    };
    action.sa_flags = SA_RESETHAND;
    for (std::size_t i = 0; i < kCrashes.size(); ++i) sigaction(kCrashes[i], &action, &before_[i]);
  }
  ~PluginWatch() {
    for (std::size_t i = 0; i < kCrashes.size(); ++i) sigaction(kCrashes[i], &before_[i], nullptr);
    running_plugin.store(nullptr, std::memory_order_release);
  }
  PluginWatch(const PluginWatch&) = delete;
  PluginWatch& operator=(const PluginWatch&) = delete;

 private:
  std::array<struct sigaction, kCrashes.size()> before_{};
};

// Calls the function of a plugin; what it throws is an error.
Status call_registration(const TaskPlugin& plugin, TaskRegistry& registry) {
  try {
    return plugin.register_tasks(registry);
  } catch (const std::exception& error) {
    return fail(ErrorCode::kInvalidArgument,
                std::string("It threw an exception while it registered its tasks: ") + error.what(),
                "register_tasks");
  } catch (...) {
    return fail(ErrorCode::kInvalidArgument,
                "It threw an exception while it registered its tasks",
                "register_tasks");
  }
}

}  // namespace

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
  Status status = call_registration(plugin, staging);
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
  const PluginWatch watch(path);
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
