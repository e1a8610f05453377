#pragma once

#include "apps/rankd/flags.h"
#include "apps/rankd/output.h"

namespace millrace::rankd {

/// Shows what a server does now, again and again, or once (S44); gives the exit code.
[[nodiscard]] int run_top(const Flags& flags, Output& out);

}  // namespace millrace::rankd
