#pragma once

#include <cstdint>

namespace millrace::bench {

/// Gives how often this process has called global operator new.
/// Threading: any thread.
[[nodiscard]] std::uint64_t allocation_count();

}  // namespace millrace::bench
