#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "rows/batch.h"

// Turns comparisons into positions, eight rows at a time and without a branch, for kernels that
// select rows. compact_dense shows the whole loop.

namespace millrace::rows {

/// Rows that one mask covers.
inline constexpr std::size_t kMaskRows = 8;

namespace internal {

/// For each mask, the numbers of its set bits in rising order, and how many there are.
struct MaskTable {
  alignas(64) std::array<std::array<std::uint8_t, kMaskRows>, 256> bits{};
  std::array<std::uint8_t, 256> counts{};
};

constexpr MaskTable make_mask_table() {
  MaskTable table;
  for (std::size_t mask = 0; mask < 256; ++mask) {
    for (std::size_t bit = 0; bit < kMaskRows; ++bit) {
      if ((mask >> bit & 1U) != 0) {
        table.bits[mask][table.counts[mask]++] = static_cast<std::uint8_t>(bit);
      }
    }
  }
  return table;
}

inline constexpr MaskTable kMaskTable = make_mask_table();

}  // namespace internal

/// Writes `base` + i for each set bit i of the mask and returns how many it wrote. Overwrites all
/// eight entries at `out`; those after the written ones hold no meaningful value.
inline std::size_t write_mask_rows(std::uint8_t mask, RowIndex base, RowIndex* out) {
  // Plain vectors of the compiler: bytes are widened and added in a few instructions.
  using Bytes = std::uint8_t __attribute__((vector_size(kMaskRows)));
  using Rows = RowIndex __attribute__((vector_size(kMaskRows * sizeof(RowIndex))));
  Bytes bits;
  std::memcpy(&bits, internal::kMaskTable.bits[mask].data(), sizeof(bits));
  const Rows rows = __builtin_convertvector(bits, Rows) + base;
  std::memcpy(out, &rows, sizeof(rows));
  return internal::kMaskTable.counts[mask];
}

/// The mask of eight bytes that are 0 or 1.
inline std::uint8_t mask_of_bytes(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  // Little-endian: byte i is at bit 8i, and the product gathers bit 8i at bit 56 + i.
  return static_cast<std::uint8_t>((word * 0x0102040810204080U) >> 56U);
}

}  // namespace millrace::rows
