#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace millrace::expr {

/// Mixes 64 bits with the SplitMix64 finaliser and drops the lowest, so that the result is a
/// non-negative int and `hash(x) % n` is a bucket. Part of the language: the algorithm never
/// changes.
[[nodiscard]] inline std::int64_t hash_bits(std::uint64_t bits) {
  bits += 0x9E3779B97F4A7C15U;
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
  bits ^= bits >> 31U;
  return static_cast<std::int64_t>(bits >> 1U);
}

/// Hashes the bits of the value, with one zero and one NaN.
[[nodiscard]] inline std::int64_t hash_float(double value) {
  constexpr std::uint64_t kNan = 0x7FF8000000000000U;
  if (value != value) return hash_bits(kNan);
  return hash_bits(std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value));
}

/// FNV-1a (64 bits) of the bytes, then mixed.
[[nodiscard]] inline std::int64_t hash_text(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash_bits(hash);
}

}  // namespace millrace::expr
