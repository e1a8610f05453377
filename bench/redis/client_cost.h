#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/redis/world.h"

namespace millrace::bench {

/// CPU time that a client spends on one command.
struct ClientCost {
  std::string name;
  double ours_us = 0;
  double hiredis_us = 0;
  double bar_us = 0;  ///< the most that ours may cost on the reference machine
};

/// Measures GET, HGETALL of 20 fields and LRANGE of 100 items in pipelines of 256, ours and hiredis
/// in turn.
[[nodiscard]] std::vector<ClientCost> measure_client_cost(World& world, int batches);

}  // namespace millrace::bench
