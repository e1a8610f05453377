#pragma once

#include "apps/rankd/flags.h"

namespace millrace::rankd {

/// Does what the flags say. Gives the exit code: 0 ok, 1 something failed, 2 wrong usage.
[[nodiscard]] int run_command(const Flags& flags);

/// Prints help to stdout or a mistake to stderr. Gives the exit code.
[[nodiscard]] int print_early_exit(const EarlyExit& exit);

}  // namespace millrace::rankd
