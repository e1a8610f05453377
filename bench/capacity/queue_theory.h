#pragma once

#include <cstdint>

// Queues whose answer is known exactly: what the simulator is checked against.

namespace millrace::bench {

/// How jobs arrive and how long they take, in seconds.
struct QueueLoad {
  double arrivals_per_second = 0;
  double service_seconds = 0;
  std::uint32_t servers = 1;
  bool is_constant = false;  ///< every job takes the same time, instead of exponential times
};

/// Mean time from arrival to end: M/M/c, or M/D/1 for constant times with one server.
[[nodiscard]] double mean_response(const QueueLoad& load);

/// A closed network: `customers` go round between two queues with one server and exponential times
/// each.
struct ClosedLoad {
  std::uint32_t customers = 1;
  double first_seconds = 0;
  double second_seconds = 0;
};

/// Rounds per second of a closed network, by mean value analysis.
[[nodiscard]] double closed_throughput(const ClosedLoad& load);

/// The same figures out of the simulator.
[[nodiscard]] double simulated_response(const QueueLoad& load,
                                        std::uint64_t jobs,
                                        std::uint64_t seed);
[[nodiscard]] double simulated_throughput(const ClosedLoad& load,
                                          std::uint64_t rounds,
                                          std::uint64_t seed);

}  // namespace millrace::bench
