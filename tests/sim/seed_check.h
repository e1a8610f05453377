#pragma once

#include <cstdint>
#include <optional>

#include "ledger.h"

namespace millrace::sim {

struct SeedOptions {
  std::uint32_t nodes_max = 500;
};

/// Runs the world of one seed and judges it; some seeds are run again, to see that they repeat, and
/// with inlining and chaining switched, to see that results stay (D5).
/// After a violation the caller should end the process: the world is left as it was.
[[nodiscard]] std::optional<Violation> check_seed(std::uint64_t seed,
                                                  const SeedOptions& options = {});

}  // namespace millrace::sim
