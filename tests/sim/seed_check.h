#pragma once

#include <cstdint>
#include <optional>

#include "ledger.h"

namespace millrace::sim {

struct SeedOptions {
  std::uint32_t nodes_max = 500;
};

/// Runs the world of one seed and checks it. Some seeds are run twice, to see that they repeat, and
/// with inlining and chaining switched, to see that results do not change (D5). After a violation
/// the caller should end the process: the world cannot be destroyed.
[[nodiscard]] std::optional<Violation> check_seed(std::uint64_t seed,
                                                  const SeedOptions& options = {});

}  // namespace millrace::sim
