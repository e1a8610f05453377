#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/capacity/key_curve.h"

namespace millrace::bench {

/// What one request costs, as `rankd bench --format json` and the CPU time of a Redis server tell.
/// The values here are those of the plan complex_dag on a virtual machine with two cores, with a
/// network between the machines instead of loopback.
struct RequestCost {
  double cpu_seconds = 28e-6;        ///< of `rankd`, for the whole request
  std::uint32_t rounds = 3;          ///< reads that wait for each other
  std::uint32_t keys_per_round = 7;  ///< commands that leave together
  double batch_seconds = 4.8e-6;     ///< of a shard, for commands that arrive together
  double command_seconds = 0.7e-6;   ///< of a shard, for each command besides
  double wire_seconds = 50e-6;       ///< one way
};

/// Processes in front of shards.
struct FleetSettings {
  std::uint32_t processes = 1;
  std::uint32_t loops = 1;  ///< threads of a process that carry requests
  std::uint32_t cores = 2;  ///< of the machine of each process
  std::uint32_t shards = 1;
  bool is_one_machine = false;        ///< processes and shards share the cores
  std::uint32_t max_inflight = 4096;  ///< commands of a loop to one shard at a time
  bool single_flight = true;          ///< a read that is under way on a loop serves others too
  double cache_seconds = 0;           ///< how long a loop uses a reply again
  std::uint32_t admitted_max = 1024;  ///< requests of a process at a time; others are refused
  double deadline_seconds = 0.1;      ///< what takes longer is late
};

/// What comes in: so many per second at random times, or so many at all times.
struct FleetLoad {
  double requests_per_second = 0;  ///< 0: closed, every answer is followed by the next request
  std::uint32_t in_flight = 64;    ///< of each process, if closed
  std::uint64_t requests = 100'000;
  std::uint64_t seed = 1;
};

struct FleetResult {
  double requests_per_second = 0;  ///< answered in time
  double p50_seconds = 0;
  double p99_seconds = 0;
  double busiest_shard = 0;  ///< part of the time for which it worked
  double mean_shard = 0;
  double mean_process = 0;          ///< cores used per process, in parts of its loops
  double commands_per_request = 0;  ///< that reached a shard
  std::uint64_t refused = 0;
  std::uint64_t late = 0;
  std::uint64_t answered = 0;  ///< in time
};

/// Plays the load in virtual time; equal arguments give equal results.
[[nodiscard]] FleetResult simulate(const FleetSettings& settings,
                                   const RequestCost& cost,
                                   const KeyCurve& keys,
                                   const FleetLoad& load);

}  // namespace millrace::bench
