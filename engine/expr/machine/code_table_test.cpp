#include "expr/machine/code_table.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

namespace millrace::expr {
namespace {

TEST(CodeTableTest, KnowsOnlyWhatWasSetSinceTheStart) {
  CodeTable table;
  table.start(10);
  EXPECT_FALSE(table.knows(3));
  table.set<std::int64_t>(3, 33);
  EXPECT_TRUE(table.knows(3));
  const std::array<std::int32_t, 2> codes{3, 3};
  std::array<std::int64_t, 2> out{};
  EXPECT_TRUE(table.look_up(codes.data(), codes.size(), out.data()));
  EXPECT_EQ(out[1], 33);
  table.start(10);
  EXPECT_FALSE(table.knows(3));
  EXPECT_FALSE(table.look_up(codes.data(), codes.size(), out.data()));
}

TEST(CodeTableTest, KeepsEntriesWhenItGrows) {
  CodeTable table;
  table.start(1);
  table.set<std::int32_t>(0, 7);
  table.reserve(1'000'000);
  EXPECT_TRUE(table.knows(0));
  EXPECT_FALSE(table.knows(999'999));
  table.set<std::int32_t>(999'999, 8);
  const std::array<std::int32_t, 2> codes{0, 999'999};
  std::array<std::int32_t, 2> out{};
  EXPECT_TRUE(table.look_up(codes.data(), codes.size(), out.data()));
  EXPECT_EQ(out, (std::array<std::int32_t, 2>{7, 8}));
}

TEST(CodeTableTest, HasRoomForOneCodeEvenOfAnEmptyDictionary) {
  CodeTable table;
  table.start(0);
  EXPECT_FALSE(table.knows(0));
  table.set<std::uint8_t>(0, 1);
  EXPECT_TRUE(table.knows(0));
}

TEST(CodeTableTest, StartsOverAfterTrim) {
  CodeTable table;
  table.start(100'000);
  table.set<std::uint8_t>(5, 1);
  table.trim(1'000'000);
  EXPECT_TRUE(table.knows(5));
  table.trim(1'000);
  table.start(10);
  EXPECT_FALSE(table.knows(5));
}

}  // namespace
}  // namespace millrace::expr
