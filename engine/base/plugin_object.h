#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace millrace::base {

/// Loads the shared object at `path` and hands what it exports as `symbol` to `use`. The object
/// stays loaded for the life of the process, unless it exports no such symbol. Fails, naming the
/// file, if it cannot be loaded and if `use` fails or throws. While it runs, a plugin that crashes
/// or ends the process is named on stderr.
/// Threading: one thread, at the start of a process.
[[nodiscard]] Status use_plugin(const std::string& path,
                                const char* symbol,
                                const std::function<Status(const void* exported)>& use);

/// Calls `use`; what it throws becomes an error.
[[nodiscard]] Status call_plugin(const std::function<Status()>& use);

}  // namespace millrace::base
