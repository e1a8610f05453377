#pragma once

#include "apps/rankd/flags.h"

namespace millrace::rankd {

/// Runs `rankd serve` until a signal ends it; gives the exit code.
[[nodiscard]] int run_serve(Flags flags);

}  // namespace millrace::rankd
