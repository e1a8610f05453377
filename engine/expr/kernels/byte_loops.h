#pragma once

#include <cstddef>
#include <cstdint>

// Loops over validity, error and bool bytes, all 0 or 1. The two arrays never overlap.

namespace millrace::expr {

inline void and_bytes(const std::uint8_t* other,
                      std::uint8_t* __restrict bytes,
                      std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes[i] &= other[i];
}

inline void and_not_bytes(const std::uint8_t* other,
                          std::uint8_t* __restrict bytes,
                          std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes[i] &= other[i] ^ 1U;
}

inline void or_bytes(const std::uint8_t* other, std::uint8_t* __restrict bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes[i] |= other[i];
}

inline void xor_bytes(const std::uint8_t* source,
                      std::uint8_t flip,
                      std::uint8_t* __restrict bytes,
                      std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes[i] = source[i] ^ flip;
}

inline void flip_bytes(std::uint8_t flip, std::uint8_t* bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes[i] ^= flip;
}

[[nodiscard]] inline bool any_byte(const std::uint8_t* bytes, std::size_t count) {
  std::uint8_t any = 0;
  for (std::size_t i = 0; i < count; ++i) any |= bytes[i];
  return any != 0;
}

[[nodiscard]] inline std::size_t count_bytes(const std::uint8_t* bytes, std::size_t count) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += bytes[i];
  return sum;
}

}  // namespace millrace::expr
