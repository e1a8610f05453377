#pragma once

#include "apps/rankd/flags.h"

namespace millrace::rankd {

/// Tries everything that a request needs, one thing after another, and says what is wrong and what
/// to do. Gives the exit code: 0 if all is well.
[[nodiscard]] int run_doctor(const Flags& flags);

}  // namespace millrace::rankd
