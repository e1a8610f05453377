#pragma once

#include <string>

namespace millrace::topoexec {

/// What a command prints, and the exit code: 0 ok, 1 failed, 2 wrong usage or an invalid file.
struct Outcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

}  // namespace millrace::topoexec
