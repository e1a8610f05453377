#pragma once

#include <atomic>
#include <cstdint>

namespace millrace::base {

/// A small number of the calling thread, the same for its whole life. Threads share numbers once
/// there are more than `kCountMax`.
class ThreadNumber {
 public:
  static constexpr std::uint32_t kCountMax = 16;

  [[nodiscard]] static std::uint32_t get() {
    if (number == kNone) [[unlikely]]
      number = next.fetch_add(1, std::memory_order_relaxed) % kCountMax;
    return number;
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constinit inline thread_local std::uint32_t number = kNone;
  static constinit inline std::atomic<std::uint32_t> next{0};  // counts, publishes nothing
};

}  // namespace millrace::base
