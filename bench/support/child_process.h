#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace millrace::bench {

/// Runs this program again as a child with other arguments, calls `on_line` with each line of its
/// output, and waits until it ends. Fails if it cannot be started or does not exit with 0.
/// Threading: the caller must be the process's only thread.
[[nodiscard]] base::Status run_self(const std::vector<std::string>& arguments,
                                    const std::function<void(std::string_view)>& on_line);

}  // namespace millrace::bench
