#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

// For tests only: large allocations that fail. Decides about every allocation of the process, so
// include it in one file of a program of its own.

namespace millrace::base::testing {

// Larger allocations fail once `skips_left` of them have succeeded. Relaxed: they publish nothing.
inline std::atomic<std::size_t> allocation_max = SIZE_MAX;
inline std::atomic<std::int64_t> skips_left = 0;
inline std::atomic<std::uint64_t> large_count = 0;
inline std::atomic<std::uint64_t> failed_count = 0;

/// Allocations above a size fail for as long as this lives, from the one after `skips` of them on.
class ScarceMemory {
 public:
  explicit ScarceMemory(std::size_t size_max, std::int64_t skips = 0) {
    large_count.store(0);
    failed_count.store(0);
    skips_left.store(skips);
    allocation_max.store(size_max);
  }
  ~ScarceMemory() { allocation_max.store(SIZE_MAX); }
  ScarceMemory(const ScarceMemory&) = delete;
  ScarceMemory& operator=(const ScarceMemory&) = delete;

  /// How many large allocations there were.
  [[nodiscard]] std::uint64_t attempts() const { return large_count.load(); }
  /// How many of them have failed.
  [[nodiscard]] std::uint64_t failures() const { return failed_count.load(); }
};

inline void* allocate(std::size_t size, std::size_t alignment) {
  const bool is_large = size > allocation_max.load(std::memory_order_relaxed);
  if (is_large) large_count.fetch_add(1, std::memory_order_relaxed);
  const bool fails = is_large && skips_left.fetch_sub(1, std::memory_order_relaxed) <= 0;
  void* const memory =
      fails ? nullptr
            : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (fails) failed_count.fetch_add(1, std::memory_order_relaxed);
  // Not a `throw` of the engine, but what the standard library does for it.
  if (memory == nullptr) std::__throw_bad_alloc();
  return memory;
}

}  // namespace millrace::base::testing

// NOLINTBEGIN(misc-definitions-in-headers): for one file of a program
void* operator new(std::size_t size) {
  return millrace::base::testing::allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return millrace::base::testing::allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size) {
  return millrace::base::testing::allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
// NOLINTEND(misc-definitions-in-headers)
