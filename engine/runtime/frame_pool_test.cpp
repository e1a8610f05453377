#include "runtime/frame_pool.h"

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace millrace::runtime {
namespace {

// Every test has a thread of its own, because the lists belong to threads.
template <class Function>
void on_fresh_thread(Function function) {
  std::thread(function).join();
}

TEST(FramePoolTest, GivesBackTheSameBlockForTheSameClass) {
  on_fresh_thread([] {
    void* const first = FramePool::allocate(100);
    FramePool::release(first, 100);
    void* const again = FramePool::allocate(FramePool::kStepBytes);
    EXPECT_EQ(again, first);
    EXPECT_EQ(FramePool::counters().from_heap, 1u);
    EXPECT_EQ(FramePool::counters().reused, 1u);
    void* const other_class = FramePool::allocate(FramePool::kStepBytes + 1);
    EXPECT_EQ(FramePool::counters().from_heap, 2u);
    FramePool::release(again, FramePool::kStepBytes);
    FramePool::release(other_class, FramePool::kStepBytes + 1);
  });
}

TEST(FramePoolTest, EveryByteOfABlockIsUsable) {
  on_fresh_thread([] {
    for (int round = 0; round < 2; ++round) {
      for (std::size_t size = 1; size <= FramePool::kPooledBytesMax + 64; size += 31) {
        void* const block = FramePool::allocate(size);
        std::memset(block, 0xAB, size);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t), 0u);
        FramePool::release(block, size);
      }
    }
  });
}

TEST(FramePoolTest, LargeBlocksAreNotKept) {
  on_fresh_thread([] {
    void* const block = FramePool::allocate(FramePool::kPooledBytesMax + 1);
    FramePool::release(block, FramePool::kPooledBytesMax + 1);
    EXPECT_EQ(FramePool::counters().kept_bytes, 0u);
  });
}

TEST(FramePoolTest, KeepsNoMoreThanItsBound) {
  on_fresh_thread([] {
    constexpr std::size_t kBlocks = FramePool::kKeptBytesMax / FramePool::kPooledBytesMax + 10;
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < kBlocks; ++i) {
      blocks.push_back(FramePool::allocate(FramePool::kPooledBytesMax));
    }
    for (void* block : blocks) FramePool::release(block, FramePool::kPooledBytesMax);
    EXPECT_EQ(FramePool::counters().kept_bytes, FramePool::kKeptBytesMax);
  });
}

TEST(FramePoolTest, ABlockMayBeReleasedOnAnotherThread) {
  void* const block = FramePool::allocate(200);
  on_fresh_thread([block] {
    FramePool::release(block, 200);
    EXPECT_EQ(FramePool::counters().kept_bytes, 2 * FramePool::kStepBytes);
    void* const again = FramePool::allocate(200);
    EXPECT_EQ(again, block);
    FramePool::release(again, 200);
  });
}

struct ReleasesAtThreadEnd {
  void* block = nullptr;
  ~ReleasesAtThreadEnd() { FramePool::release(block, 64); }
};

// A block that outlives the lists of its thread must still find its way to the heap.
TEST(FramePoolTest, WorksUntilTheVeryEndOfAThread) {
  on_fresh_thread([] {
    static thread_local ReleasesAtThreadEnd last;
    last.block = FramePool::allocate(64);
    FramePool::release(FramePool::allocate(64), 64);
  });
}

}  // namespace
}  // namespace millrace::runtime
