#pragma once

#include <string>

#include "bench/redis/world.h"

namespace millrace::bench {

/// How many single commands per second redis-benchmark reaches (50 connections, 64 commands in a
/// pipeline).
struct CommandLimits {
  double hgetall = 0;  ///< HGETALL of a user
  double follow = 0;   ///< LRANGE of a user's list
  double media = 0;    ///< LRANGE of an item's list
};

/// Measures the limits with `requests` commands of each kind.
[[nodiscard]] CommandLimits measure_limits(World& world, int requests);

/// How many commands of each kind one request of a plan sends.
struct CommandMix {
  double hgetall = 0;
  double follow = 0;
  double media = 0;

  [[nodiscard]] double total() const { return hgetall + follow + media; }
};

/// The most commands per second of a mix: the weighted harmonic mean of the single limits.
[[nodiscard]] double limit_of(const CommandMix& mix, const CommandLimits& limits);

}  // namespace millrace::bench
