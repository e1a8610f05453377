#pragma once

#include <atomic>
#include <cstdint>

namespace millrace::base {

/// Gives the calling thread's number: threads count from 0 in the order of their first calls, and
/// numbers are never used again.
[[nodiscard]] inline std::uint32_t thread_number() {
  static constinit std::atomic<std::uint32_t> next{0};  // publishes nothing
  static thread_local const std::uint32_t own = next.fetch_add(1, std::memory_order_relaxed);
  return own;
}

}  // namespace millrace::base
