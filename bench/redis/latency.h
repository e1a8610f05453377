#pragma once

#include <string>

#include "bench/redis/world.h"

namespace millrace::bench {

/// Medians of requests that run alone.
struct Latency {
  double ours_us = 0;
  /// The same commands, level by level, as bytes that are written and awaited and not looked at.
  double redis_us = 0;
};

/// `has_media`: the plan reads lists of items as its third level.
[[nodiscard]] Latency measure_latency(World& world, const std::string& plan, bool has_media);

}  // namespace millrace::bench
