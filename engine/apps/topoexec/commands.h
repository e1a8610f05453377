#pragma once

#include "apps/topoexec/flags.h"
#include "apps/topoexec/outcome.h"

namespace millrace::topoexec {

/// Does what the flags say.
[[nodiscard]] Outcome run_command(const Flags& flags);

}  // namespace millrace::topoexec
