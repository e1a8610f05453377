#pragma once

#include <cstdint>
#include <optional>

namespace millrace::bench {

/// Gives how often any thread has called global operator new in this process; empty if the build
/// cannot count. Memory that a library takes from malloc or from its own pools does not count.
/// Threading: any thread.
[[nodiscard]] std::optional<std::uint64_t> allocation_count();

}  // namespace millrace::bench
