#include "runtime/frame_pool.h"

#include <array>
#include <new>

#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) static_cast<void>(0)
#define ASAN_UNPOISON_MEMORY_REGION(address, size) static_cast<void>(0)
#endif

namespace millrace::runtime {
namespace {

struct FreeBlock {
  FreeBlock* next;
};

constexpr std::size_t kClassCount = FramePool::kPooledBytesMax / FramePool::kStepBytes;

constexpr std::size_t class_of(std::size_t size) { return (size - 1) / FramePool::kStepBytes; }
constexpr std::size_t bytes_of(std::size_t size_class) {
  return (size_class + 1) * FramePool::kStepBytes;
}

/// One thread's blocks. Has no destructor, so that it can be used until the very end of a thread;
/// `ThreadEnd` empties it.
struct Lists {
  std::array<FreeBlock*, kClassCount> first{};
  FramePool::Counters counters;
  bool watched = false;  ///< `ThreadEnd` will run, or has run
  bool closed = false;   ///< it has run: keep nothing any more
};

constinit thread_local Lists lists;

struct ThreadEnd {
  ~ThreadEnd() {
    for (std::size_t size_class = 0; size_class < kClassCount; ++size_class) {
      while (FreeBlock* const block = lists.first[size_class]) {
        ASAN_UNPOISON_MEMORY_REGION(block, bytes_of(size_class));
        lists.first[size_class] = block->next;
        ::operator delete(block);
      }
    }
    lists.counters.kept_bytes = 0;
    lists.closed = true;
  }
};

// Registers the destructor of this thread, once.
void watch_thread_end() {
  static thread_local const ThreadEnd thread_end;
  lists.watched = true;
}

}  // namespace

void* FramePool::allocate(std::size_t size) {
  if (size - 1 < kPooledBytesMax) {
    const std::size_t size_class = class_of(size);
    if (FreeBlock* const block = lists.first[size_class]) {
      ASAN_UNPOISON_MEMORY_REGION(block, bytes_of(size_class));
      lists.first[size_class] = block->next;
      lists.counters.kept_bytes -= bytes_of(size_class);
      ++lists.counters.reused;
      return block;
    }
    size = bytes_of(size_class);
  }
  ++lists.counters.from_heap;
  return ::operator new(size);
}

void FramePool::release(void* block, std::size_t size) noexcept {
  const bool pooled = size - 1 < kPooledBytesMax;
  if (pooled && !lists.watched) watch_thread_end();
  const std::size_t bytes = pooled ? bytes_of(class_of(size)) : size;
  if (!pooled || lists.closed || lists.counters.kept_bytes + bytes > kKeptBytesMax) {
    ::operator delete(block);
    return;
  }
  FreeBlock*& first = lists.first[class_of(size)];
  first = ::new (block) FreeBlock{first};
  lists.counters.kept_bytes += bytes;
  ASAN_POISON_MEMORY_REGION(block, bytes);
}

FramePool::Counters FramePool::counters() { return lists.counters; }

}  // namespace millrace::runtime
