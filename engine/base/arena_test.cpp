#include "base/arena.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <span>

#include <gtest/gtest.h>
#include <sanitizer/asan_interface.h>

namespace millrace::base {
namespace {

bool is_aligned(const void* pointer, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0;
}

TEST(ArenaTest, AlignsEveryObject) {
  Arena arena;
  for (const std::size_t alignment : {1U, 2U, 8U, 16U, 64U, 4096U}) {
    EXPECT_NE(arena.try_allocate(1, 1), nullptr);
    EXPECT_TRUE(is_aligned(arena.try_allocate(3, alignment), alignment)) << alignment;
  }
}

TEST(ArenaTest, ObjectsDoNotOverlap) {
  Arena arena({.first_block_bytes = 64});
  std::set<std::uint64_t*> objects;
  for (std::uint64_t value = 0; value < 1000; ++value) {
    objects.insert(arena.try_make<std::uint64_t>(value));
  }
  ASSERT_EQ(objects.size(), 1000U);
  std::set<std::uint64_t> values;
  for (const std::uint64_t* object : objects) values.insert(*object);
  EXPECT_EQ(values.size(), 1000U);
}

TEST(ArenaTest, ArraysAreZeroedAlsoInReusedMemory) {
  Arena arena;
  std::memset(arena.try_allocate(256, 8), 0xFF, 256);
  arena.reset();
  const std::span<const int> numbers(arena.try_make_array<int>(64), 64);
  EXPECT_TRUE(std::ranges::all_of(numbers, [](int number) { return number == 0; }));
}

TEST(ArenaTest, EmptyRequestIsNotARefusal) {
  Arena arena;
  EXPECT_NE(arena.try_make_array<int>(0), nullptr);
  EXPECT_NE(arena.try_allocate(0, 64), nullptr);
}

TEST(ArenaTest, GivesALargeObjectABlockOfItsOwn) {
  Arena arena({.first_block_bytes = 64, .block_bytes_max = 128});
  void* large = arena.try_allocate(10'000, 8);
  ASSERT_NE(large, nullptr);
  std::memset(large, 1, 10'000);
  EXPECT_GE(arena.used_bytes(), 10'000U);
}

TEST(ArenaTest, RefusesBeyondItsBoundAndStaysUsable) {
  Arena arena({.first_block_bytes = 64, .total_bytes_max = 1024});
  EXPECT_EQ(arena.try_allocate(1025, 1), nullptr);
  while (arena.try_allocate(16, 8) != nullptr) EXPECT_LE(arena.reserved_bytes(), 1024U);
  arena.reset();
  EXPECT_NE(arena.try_allocate(16, 8), nullptr);
}

TEST(ArenaTest, RefusesSizesThatWouldWrapAround) {
  Arena arena;
  constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();
  EXPECT_NE(arena.try_allocate(1, 1), nullptr);
  EXPECT_EQ(arena.try_allocate(kHuge, 8), nullptr);
  EXPECT_EQ(arena.try_allocate(kHuge - 64, 8), nullptr);
  EXPECT_EQ(arena.try_make_array<std::uint64_t>(kHuge / 4), nullptr);
}

TEST(ArenaTest, ResetReusesTheSameMemory) {
  Arena arena({.first_block_bytes = 128});
  const auto run = [&arena] {
    void* first = arena.try_allocate(100, 8);
    for (int object = 0; object < 50; ++object) EXPECT_NE(arena.try_allocate(100, 8), nullptr);
    return first;
  };
  void* first = run();
  const std::size_t reserved = arena.reserved_bytes();
  arena.reset();
  EXPECT_EQ(arena.used_bytes(), 0U);
  EXPECT_EQ(run(), first);
  EXPECT_EQ(arena.reserved_bytes(), reserved);
}

TEST(ArenaTest, ResetGivesBackWhatOneHugeRunTook) {
  Arena arena({.first_block_bytes = 1024, .kept_bytes_max = 4096});
  EXPECT_NE(arena.try_allocate(512, 8), nullptr);
  EXPECT_NE(arena.try_allocate(1'000'000, 8), nullptr);
  arena.reset();
  EXPECT_LE(arena.reserved_bytes(), 4096U);
  EXPECT_GE(arena.reserved_bytes(), 1024U);
  EXPECT_NE(arena.try_allocate(1'000'000, 8), nullptr);
  EXPECT_GE(arena.reserved_bytes(), 1'000'000U);
}

TEST(ArenaTest, SkipsKeptBlocksThatAreTooSmall) {
  Arena arena({.first_block_bytes = 64, .block_bytes_max = 64});
  for (int object = 0; object < 4; ++object) EXPECT_NE(arena.try_allocate(48, 8), nullptr);
  arena.reset();
  void* large = arena.try_allocate(500, 8);
  ASSERT_NE(large, nullptr);
  std::memset(large, 1, 500);
}

#if __has_feature(address_sanitizer)
TEST(ArenaTest, MemoryIsPoisonedOutsideItsLife) {
  Arena arena;
  auto* bytes = static_cast<std::byte*>(arena.try_allocate(64, 8));
  EXPECT_EQ(__asan_address_is_poisoned(bytes + 63), 0);
  EXPECT_EQ(__asan_address_is_poisoned(bytes + 64), 1);
  arena.reset();
  EXPECT_EQ(__asan_address_is_poisoned(bytes), 1);
}
#endif

}  // namespace
}  // namespace millrace::base
