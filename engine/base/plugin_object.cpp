#include "base/plugin_object.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <string>

#include <dlfcn.h>
#include <unistd.h>

#include "base/error.h"
#include "base/result.h"

namespace millrace::base {
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

}  // namespace

Status call_plugin(const std::function<Status()>& use) {
  try {
    return use();
  } catch (const std::exception& error) {
    return fail(ErrorCode::kInvalidArgument,
                std::string("It threw an exception while it was registered: ") + error.what(),
                "registration");
  } catch (...) {
    return fail(ErrorCode::kInvalidArgument,
                "It threw an exception while it was registered",
                "registration");
  }
}

Status use_plugin(const std::string& path,
                  const char* symbol,
                  const std::function<Status(const void* exported)>& use) {
  // dlopen would search a bare name along the library path; `./` makes it a file name.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  const PluginWatch watch(path);
  // RTLD_NOW resolves all symbols now: a missing function must be reported here, not later.
  void* object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) {
    return fail(ErrorCode::kNotFound, "Cannot load the plugin: " + std::string(dlerror()), path);
  }
  const void* exported = dlsym(object, symbol);
  if (exported == nullptr) {
    static_cast<void>(dlclose(object));
    return fail(ErrorCode::kInvalidArgument,
                "The file is not a plugin for this: it exports no " + std::string(symbol),
                path);
  }
  return use(exported);
}

}  // namespace millrace::base
