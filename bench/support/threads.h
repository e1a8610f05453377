#pragma once

#include <vector>

#include <sys/types.h>

namespace millrace::bench {

/// The threads of this process, in ascending order; empty if the system does not list them.
[[nodiscard]] std::vector<pid_t> list_threads();

/// The processors that the calling thread may use.
[[nodiscard]] std::vector<int> usable_processors();

/// Lets a thread run on these processors only; does nothing if the thread has ended.
void place_thread(pid_t thread, const std::vector<int>& processors);

}  // namespace millrace::bench
