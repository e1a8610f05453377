#pragma once

#include <optional>
#include <string>

namespace millrace::bench {

/// Runs a command of the shell under valgrind and counts its instructions; empty if that is not
/// possible here, or if the command fails. What it prints on stdout is dropped.
[[nodiscard]] std::optional<double> count_instructions(const std::string& command);

}  // namespace millrace::bench
