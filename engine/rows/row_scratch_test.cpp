#include "rows/row_scratch.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

namespace millrace::rows {
namespace {

TEST(RowScratchTest, GivesAlignedBlocksOfAtLeastTheSizeAsked) {
  RowScratch scratch;
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{64}, std::size_t{65}, std::size_t{1} << 20U}) {
    const Buffer buffer = scratch.take(bytes);
    EXPECT_GE(buffer.capacity_bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U);
  }
}

TEST(RowScratchTest, UsesALargeBlockAgain) {
  RowScratch scratch;
  std::byte* first = scratch.take(10'000).data();
  EXPECT_EQ(scratch.retained_bytes(), 16'384U);
  const Buffer again = scratch.take(9'000);
  EXPECT_EQ(again.data(), first);
  EXPECT_EQ(scratch.retained_bytes(), 0U);
}

TEST(RowScratchTest, UsesASmallBlockAgainInAnyScratchOfTheThread) {
  RowScratch scratch;
  RowScratch other;
  const std::byte* first = scratch.take(1000).data();
  EXPECT_EQ(scratch.retained_bytes(), 0U);
  EXPECT_EQ(other.take(1000).data(), first);
}

TEST(RowScratchTest, NeverSharesALiveBlock) {
  RowScratch scratch;
  const Buffer one = scratch.take(100);
  const Buffer other = scratch.take(100);
  EXPECT_NE(one.data(), other.data());
}

TEST(RowScratchTest, KeepsNoMoreThanItsLimit) {
  RowScratch scratch(16'384);
  {
    const Buffer too_large = scratch.take(20'000);
  }
  EXPECT_EQ(scratch.retained_bytes(), 0U);
  {
    const Buffer one = scratch.take(16'384);
    const Buffer other = scratch.take(16'384);
  }
  EXPECT_EQ(scratch.retained_bytes(), 16'384U);
}

TEST(RowScratchTest, ABufferMayOutliveItsScratch) {
  for (const std::size_t count : {std::size_t{3}, std::size_t{3000}}) {
    std::optional<RowScratch> scratch(std::in_place);
    Array<std::int64_t> array = scratch->make_array<std::int64_t>(count);
    scratch.reset();
    array[2] = 7;
    EXPECT_EQ(array[2], 7);
  }
}

TEST(RowScratchTest, MovingLeavesAnEmptyArray) {
  RowScratch scratch;
  Array<std::int64_t> from = scratch.make_array<std::int64_t>(3);
  const std::int64_t* data = from.data();
  Array<std::int64_t> to = std::move(from);
  EXPECT_EQ(from.size(), 0U);  // NOLINT(bugprone-use-after-move): the state is documented
  EXPECT_EQ(to.data(), data);
  from = std::move(to);
  EXPECT_EQ(from.data(), data);
}

TEST(RowScratchTest, AnEmptyArrayNeedsNoBlock) {
  RowScratch scratch;
  const Array<double> array = scratch.make_array<double>(0);
  EXPECT_TRUE(array.empty());
  EXPECT_EQ(array.data(), nullptr);
}

}  // namespace
}  // namespace millrace::rows
