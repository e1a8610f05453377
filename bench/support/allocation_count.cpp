#include "support/allocation_count.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>

#include "support/thread_sanitizer.h"

// ThreadSanitizer's runtime replaces them itself.
#if MR_BENCH_TSAN

namespace millrace::bench {

std::optional<std::uint64_t> allocation_count() { return std::nullopt; }

}  // namespace millrace::bench

#else

namespace {

// Relaxed: a count that publishes nothing; readers compare it before and after a joined run.
std::atomic<std::uint64_t> allocations = 0;

void* allocate(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size == 0 ? 1 : size);
}

void* allocate_aligned(std::size_t size, std::align_val_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const auto step = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(step, (size + step - 1) / step * step);
}

// A benchmark ends when memory runs out: nothing would catch bad_alloc.
void* or_abort(void* memory) {
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return or_abort(allocate(size)); }
void* operator new[](std::size_t size) { return or_abort(allocate(size)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return or_abort(allocate_aligned(size, alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return or_abort(allocate_aligned(size, alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace millrace::bench {

std::optional<std::uint64_t> allocation_count() {
  return allocations.load(std::memory_order_relaxed);
}

}  // namespace millrace::bench

#endif
