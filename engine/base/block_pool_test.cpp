#include "base/block_pool.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

// Every test has a thread of its own, because the lists belong to threads.
template <class Function>
void on_fresh_thread(Function function) {
  std::thread(function).join();
}

TEST(BlockPoolTest, GivesBackTheSameBlockForTheSameClass) {
  on_fresh_thread([] {
    void* const first = BlockPool::allocate(50);
    BlockPool::release(first, 50);
    void* const again = BlockPool::allocate(BlockPool::kStepBytes);
    EXPECT_EQ(again, first);
    EXPECT_EQ(BlockPool::counters().from_heap, 1u);
    EXPECT_EQ(BlockPool::counters().reused, 1u);
    void* const other_class = BlockPool::allocate(BlockPool::kStepBytes + 1);
    EXPECT_EQ(BlockPool::counters().from_heap, 2u);
    BlockPool::release(again, BlockPool::kStepBytes);
    BlockPool::release(other_class, BlockPool::kStepBytes + 1);
  });
}

TEST(BlockPoolTest, EveryByteOfABlockIsUsable) {
  on_fresh_thread([] {
    for (int round = 0; round < 2; ++round) {
      for (std::size_t size = 1; size <= BlockPool::kPooledBytesMax + 64; size += 31) {
        void* const block = BlockPool::allocate(size);
        std::memset(block, 0xAB, size);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t), 0u);
        BlockPool::release(block, size);
      }
    }
  });
}

TEST(BlockPoolTest, LargeBlocksAreNotKept) {
  on_fresh_thread([] {
    void* const block = BlockPool::allocate(BlockPool::kPooledBytesMax + 1);
    BlockPool::release(block, BlockPool::kPooledBytesMax + 1);
    EXPECT_EQ(BlockPool::counters().kept_bytes, 0u);
  });
}

TEST(BlockPoolTest, KeepsNoMoreThanItsBound) {
  on_fresh_thread([] {
    constexpr std::size_t kBlocks = BlockPool::kKeptBytesMax / BlockPool::kPooledBytesMax + 10;
    std::vector<void*> blocks;
    blocks.reserve(kBlocks);
    for (std::size_t i = 0; i < kBlocks; ++i) {
      blocks.push_back(BlockPool::allocate(BlockPool::kPooledBytesMax));
    }
    for (void* block : blocks) BlockPool::release(block, BlockPool::kPooledBytesMax);
    EXPECT_EQ(BlockPool::counters().kept_bytes, BlockPool::kKeptBytesMax);
  });
}

TEST(BlockPoolTest, ABlockMayBeReleasedOnAnotherThread) {
  void* const block = BlockPool::allocate(200);
  on_fresh_thread([block] {
    BlockPool::release(block, 200);
    EXPECT_EQ(BlockPool::counters().kept_bytes, 4 * BlockPool::kStepBytes);
    void* const again = BlockPool::allocate(200);
    EXPECT_EQ(again, block);
    BlockPool::release(again, 200);
  });
}

struct ReleasesAtThreadEnd {
  void* block = nullptr;
  ~ReleasesAtThreadEnd() { BlockPool::release(block, 64); }
};

// A block that outlives the lists of its thread must still find its way to the heap.
TEST(BlockPoolTest, WorksUntilTheVeryEndOfAThread) {
  on_fresh_thread([] {
    static thread_local ReleasesAtThreadEnd last;
    last.block = BlockPool::allocate(64);
    BlockPool::release(BlockPool::allocate(64), 64);
  });
}

}  // namespace
}  // namespace millrace::base
