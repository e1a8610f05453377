#pragma once

#include <cstdint>

#include "bench/capacity/fleet.h"
#include "bench/capacity/key_curve.h"

// The formulas of the guide "grow": how many machines, shards and connections a load needs.

namespace millrace::bench {

/// The part of a core or shard that is planned with; the rest is for bursts and failures.
inline constexpr double kPlannedUse = 0.6;

struct SizingQuestion {
  double requests_per_second = 1'000'000;
  std::uint32_t cores = 16;       ///< of a machine
  std::uint32_t loops = 16;       ///< of a process, one process per machine
  std::uint32_t connections = 1;  ///< of a loop to each shard
  double served_from_cache = 0;   ///< part of the commands that never leave the process
};

struct Sizing {
  std::uint64_t machines = 0;
  std::uint64_t shards = 0;
  std::uint64_t connections = 0;
  double busiest_shard = 0;  ///< use of the shard with the most read key, if it reads it every time
};

/// Commands of one request, and what they cost a shard in seconds.
[[nodiscard]] double commands_per_request(const RequestCost& cost);
[[nodiscard]] double shard_seconds_per_request(const RequestCost& cost);

[[nodiscard]] Sizing size_fleet(const SizingQuestion& question,
                                const RequestCost& cost,
                                const KeyCurve& keys);

/// Writes per second to one key above which caching it costs the shard more than it saves: every
/// write tells each loop that has it.
[[nodiscard]] double caching_pays_below(double reads_per_second,
                                        double cache_seconds,
                                        std::uint64_t loops);

/// What is left of a fleet of regions when one of them is gone.
struct RegionSettings {
  std::uint32_t regions = 3;
  std::uint32_t servers = 16;  ///< of each
  double service_seconds = 500e-6;
  double use = kPlannedUse;          ///< of each region before the loss
  double round_trip_seconds = 0.03;  ///< to another region
  double deadline_seconds = 0.1;
  std::uint64_t requests = 200'000;
  std::uint64_t seed = 1;
};

struct RegionResult {
  double answered_part = 0;   ///< of all requests, in time
  double capacity_part = 0;   ///< of what the regions that are left can do, used for such answers
  double refused_abroad = 0;  ///< part of all: too little time left for the way
};

/// Plays the load after one region is lost; its requests go to the others in turn.
[[nodiscard]] RegionResult lose_one_region(const RegionSettings& settings);

}  // namespace millrace::bench
