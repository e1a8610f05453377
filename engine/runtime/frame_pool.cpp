#include "runtime/frame_pool.h"

#include <array>
#include <cstddef>
#include <cstdint>
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
  struct List {
    FreeBlock* first = nullptr;
    std::size_t kept_bytes = 0;
  };
  std::array<List, kClassCount> by_class{};
  std::uint64_t from_heap = 0;
  std::uint64_t reused = 0;
  bool watched = false;  ///< `ThreadEnd` will run, or has run
  bool closed = false;   ///< it has run: keep nothing any more
};

constinit thread_local Lists lists;

struct ThreadEnd {
  ~ThreadEnd() {
    for (std::size_t size_class = 0; size_class < kClassCount; ++size_class) {
      Lists::List& list = lists.by_class[size_class];
      while (FreeBlock* const block = list.first) {
        ASAN_UNPOISON_MEMORY_REGION(block, bytes_of(size_class));
        list.first = block->next;
        ::operator delete(block);
      }
    }
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
    Lists::List& list = lists.by_class[size_class];
    if (FreeBlock* const block = list.first) {
      ASAN_UNPOISON_MEMORY_REGION(block, bytes_of(size_class));
      list.first = block->next;
      list.kept_bytes -= bytes_of(size_class);
      ++lists.reused;
      return block;
    }
    size = bytes_of(size_class);
  }
  ++lists.from_heap;
  return ::operator new(size);
}

void FramePool::release(void* block, std::size_t size) noexcept {
  if (size - 1 >= kPooledBytesMax) {
    ::operator delete(block);
    return;
  }
  if (!lists.watched) watch_thread_end();
  const std::size_t bytes = bytes_of(class_of(size));
  Lists::List& list = lists.by_class[class_of(size)];
  if (lists.closed || list.kept_bytes + bytes > kKeptBytesMax) {
    ::operator delete(block);
    return;
  }
  list.first = ::new (block) FreeBlock{list.first};
  list.kept_bytes += bytes;
  ASAN_POISON_MEMORY_REGION(block, bytes);
}

FramePool::Counters FramePool::counters() {
  Counters counters{.from_heap = lists.from_heap, .reused = lists.reused};
  for (const Lists::List& list : lists.by_class) counters.kept_bytes += list.kept_bytes;
  return counters;
}

}  // namespace millrace::runtime
