#pragma once

#include <cstdint>

namespace millrace::base {

/// Where chance comes from. Seeded, so that every choice can be replayed.
/// Threading: not shared.
class Random {
 public:
  virtual ~Random() = default;
  /// Gives 64 uniform bits.
  [[nodiscard]] virtual std::uint64_t next() = 0;
  /// Gives a uniform number in [0, bound); `bound` must not be 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);
  /// Gives a uniform number in [0, 1).
  [[nodiscard]] double unit();
  /// Is true with the given probability.
  [[nodiscard]] bool chance(double probability) { return unit() < probability; }
};

/// SplitMix64 (Steele, Lea, Flood 2014): one addition and three mixes, passes BigCrush, any seed is
/// good.
class SplitMix64 final : public Random {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  [[nodiscard]] std::uint64_t next() override;

 private:
  std::uint64_t state_;
};

}  // namespace millrace::base
