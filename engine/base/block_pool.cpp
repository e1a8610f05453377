#include "base/block_pool.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include <sanitizer/asan_interface.h>

namespace millrace::base {
namespace {

struct FreeBlock {
  FreeBlock* next;
};

constexpr std::align_val_t kAlignment{BlockPool::kStepBytes};
constexpr std::size_t kClassCount = BlockPool::kPooledBytesMax / BlockPool::kStepBytes;

constexpr std::size_t class_of(std::size_t size) { return (size - 1) / BlockPool::kStepBytes; }
constexpr std::size_t bytes_of(std::size_t size_class) {
  return (size_class + 1) * BlockPool::kStepBytes;
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
  std::size_t kept_bytes_max = 0;  ///< of a list; 0 before `ThreadEnd` is made and after it ran
  bool watched = false;            ///< `ThreadEnd` will run, or has run
};

constinit thread_local Lists lists;

struct ThreadEnd {
  ~ThreadEnd() {
    for (std::size_t size_class = 0; size_class < kClassCount; ++size_class) {
      Lists::List& list = lists.by_class[size_class];
      while (FreeBlock* const block = list.first) {
        ASAN_UNPOISON_MEMORY_REGION(block, bytes_of(size_class));
        list.first = block->next;
        ::operator delete(block, kAlignment);
      }
    }
    lists.kept_bytes_max = 0;
  }
};

// Registers the destructor of this thread, once.
[[gnu::cold, gnu::noinline]] void watch_thread_end() {
  static thread_local const ThreadEnd thread_end;
  lists.watched = true;
  lists.kept_bytes_max = BlockPool::kKeptBytesMax;
}

}  // namespace

void* BlockPool::allocate(std::size_t size) {
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
  return ::operator new(size, kAlignment);
}

void BlockPool::release(void* block, std::size_t size) noexcept {
  if (size - 1 >= kPooledBytesMax) {
    ::operator delete(block, kAlignment);
    return;
  }
  if (!lists.watched) [[unlikely]]
    watch_thread_end();
  const std::size_t bytes = bytes_of(class_of(size));
  Lists::List& list = lists.by_class[class_of(size)];
  if (list.kept_bytes + bytes > lists.kept_bytes_max) [[unlikely]] {
    ::operator delete(block, kAlignment);
    return;
  }
  list.first = ::new (block) FreeBlock{list.first};
  list.kept_bytes += bytes;
  ASAN_POISON_MEMORY_REGION(block, bytes);
}

BlockPool::Counters BlockPool::counters() {
  Counters counters{.from_heap = lists.from_heap, .reused = lists.reused};
  for (const Lists::List& list : lists.by_class) counters.kept_bytes += list.kept_bytes;
  return counters;
}

}  // namespace millrace::base
