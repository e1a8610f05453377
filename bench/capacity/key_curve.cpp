#include "bench/capacity/key_curve.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/format.h"
#include "base/random.h"

namespace millrace::bench {
namespace {

// Made by make_package_curve.mjs from the npm package download-counts 2.20260301.0 (MIT licence).
constexpr CurvePoint kPackageCurve[] = {
    {1, 0.004596},       {2, 0.008745},       {3, 0.012711},       {5, 0.019708},
    {7, 0.026003},       {10, 0.034845},      {14, 0.045164},      {19, 0.056563},
    {26, 0.070094},      {36, 0.086549},      {49, 0.105529},      {67, 0.128102},
    {91, 0.154965},      {123, 0.186085},     {167, 0.224219},     {226, 0.268660},
    {306, 0.319872},     {414, 0.378395},     {559, 0.441197},     {755, 0.510764},
    {1020, 0.587620},    {1377, 0.665716},    {1859, 0.739573},    {2510, 0.802538},
    {3389, 0.854889},    {4576, 0.896715},    {6178, 0.928173},    {8341, 0.951599},
    {11261, 0.968076},   {15203, 0.979497},   {20525, 0.986953},   {27709, 0.991797},
    {37408, 0.994916},   {50501, 0.996909},   {68177, 0.998122},   {92039, 0.998827},
    {124253, 0.999237},  {167742, 0.999490},  {226452, 0.999647},  {305711, 0.999748},
    {412710, 0.999815},  {557159, 0.999877},  {752165, 0.999918},  {1015423, 0.999946},
    {1370822, 0.999965}, {1850610, 0.999980}, {2498324, 0.999992}, {3372738, 0.999999},
    {3719632, 1},
};

}  // namespace

std::uint64_t KeyCurve::draw(base::Random& random) const {
  const double part = random.unit();
  const auto point = std::ranges::upper_bound(points_, part, {}, &CurvePoint::share);
  const std::uint64_t last = point == points_.end() ? points_.back().rank : point->rank;
  const std::uint64_t first = point == points_.begin() ? 1 : (point - 1)->rank + 1;
  return first >= last ? last : first + random.below(last - first + 1);
}

double KeyCurve::share_of_first(std::uint64_t rank) const {
  CurvePoint before{.rank = 0, .share = 0};
  for (const CurvePoint& point : points_) {
    if (point.rank >= rank) {
      const double part =
          static_cast<double>(rank - before.rank) / static_cast<double>(point.rank - before.rank);
      return before.share + part * (point.share - before.share);
    }
    before = point;
  }
  return 1;
}

KeyCurve zipf_curve(double exponent, std::uint64_t key_count) {
  std::vector<CurvePoint> points;
  double sum = 0;
  std::uint64_t next = 1;
  for (std::uint64_t rank = 1; rank <= key_count; ++rank) {
    sum += std::pow(static_cast<double>(rank), -exponent);
    if (rank < next && rank < key_count) continue;
    points.push_back({.rank = rank, .share = sum});
    next = std::max(rank + 1, static_cast<std::uint64_t>(static_cast<double>(rank) * 1.02));
  }
  for (CurvePoint& point : points) point.share /= sum;
  points.back().share = 1;
  return {base::format("Zipf {} of {} keys", exponent, key_count), points};
}

KeyCurve package_curve() { return {"downloads of packages", kPackageCurve}; }

}  // namespace millrace::bench
