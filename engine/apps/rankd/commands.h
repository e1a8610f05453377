#pragma once

#include "apps/rankd/flags.h"

namespace millrace::rankd {

/// Does what the flags say. Gives the exit code: 0 ok, 1 something failed, 2 wrong usage.
[[nodiscard]] int run_command(const Flags& flags);

}  // namespace millrace::rankd
