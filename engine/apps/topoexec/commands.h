#pragma once

#include <string>

#include "apps/topoexec/flags.h"

namespace millrace::topoexec {

/// What a command prints, and the exit code: 0 ok, 1 failed, 2 wrong usage or an invalid file.
struct Outcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

/// Does what the flags say.
[[nodiscard]] Outcome run_command(const Flags& flags);

}  // namespace millrace::topoexec
