#pragma once

#include <string>

#include "bench/redis/world.h"

namespace millrace::bench {

/// Median times of requests that run alone.
struct Latency {
  double ours_us = 0;
  /// The same commands, level by level, as bytes that are written and whose replies are awaited but
  /// not parsed.
  double redis_us = 0;
};

/// `has_media` says that the plan reads lists of items as its third level.
[[nodiscard]] Latency measure_latency(World& world, const std::string& plan, bool has_media);

}  // namespace millrace::bench
