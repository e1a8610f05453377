#include "bench/rows/allocation_count.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

// Relaxed: a count that publishes nothing.
std::atomic<std::uint64_t> allocations = 0;

// Counts, and stops when memory runs out: there is nobody to catch bad_alloc in a benchmark.
void* counted(void* memory) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

// The other forms of new and delete call these.
void* operator new(std::size_t bytes) { return counted(std::malloc(bytes == 0 ? 1 : bytes)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(step, (bytes + step - 1) / step * step));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace millrace::bench {

std::uint64_t allocation_count() { return allocations.load(std::memory_order_relaxed); }

}  // namespace millrace::bench
