#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"

namespace millrace::bench {

/// Which part of all reads the most read keys have together.
struct CurvePoint {
  std::uint64_t rank;  ///< counts from 1
  double share;        ///< of this key and all before it
};

/// How often keys are read, as steps of a cumulative curve; within a step all keys are alike.
/// Threading: any thread may read.
class KeyCurve {
 public:
  /// The points rise in rank and share; the last share is 1.
  KeyCurve(std::string name, std::span<const CurvePoint> points)
      : name_(std::move(name)), points_(points.begin(), points.end()) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t key_count() const { return points_.back().rank; }
  /// Draws the rank of a key.
  [[nodiscard]] std::uint64_t draw(base::Random& random) const;
  /// The part of all reads that the first `rank` keys have.
  [[nodiscard]] double share_of_first(std::uint64_t rank) const;

 private:
  std::string name_;
  std::vector<CurvePoint> points_;
};

/// Key number r is read in proportion to 1 / r^exponent.
[[nodiscard]] KeyCurve zipf_curve(double exponent, std::uint64_t key_count);
/// Monthly downloads of 3.7 million packages of a public registry: a few hold most of all reads.
[[nodiscard]] KeyCurve package_curve();

}  // namespace millrace::bench
