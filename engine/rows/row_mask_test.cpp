#include "rows/row_mask.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace millrace::rows {
namespace {

TEST(RowMaskTest, WritesThePositionsOfTheSetBits) {
  for (unsigned mask = 0; mask < 256; ++mask) {
    std::array<RowIndex, kMaskRows> out{};
    const std::size_t count = write_mask_rows(static_cast<std::uint8_t>(mask), 1000, out.data());
    std::vector<RowIndex> expected;
    for (RowIndex bit = 0; bit < kMaskRows; ++bit) {
      if ((mask >> bit & 1U) != 0) expected.push_back(1000 + bit);
    }
    EXPECT_EQ(std::vector(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count)), expected);
  }
}

TEST(RowMaskTest, ReadsMasksFromBytes) {
  for (unsigned mask = 0; mask < 256; ++mask) {
    std::array<std::uint8_t, kMaskRows> bytes{};
    for (unsigned bit = 0; bit < kMaskRows; ++bit) bytes[bit] = mask >> bit & 1U;
    EXPECT_EQ(mask_of_bytes(bytes.data()), mask);
  }
}

}  // namespace
}  // namespace millrace::rows
