#pragma once

#include <cstdint>

namespace millrace::bench {

/// Gives how often any thread has called global operator new in this process. Memory that a library
/// takes from malloc or from pools of its own does not count.
/// Threading: any thread.
[[nodiscard]] std::uint64_t allocation_count();

}  // namespace millrace::bench
