#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace millrace::sim {

/// A simulator as a program: checks seeds in several processes and says how to repeat a failure.
struct SeedProgram {
  std::string_view command;      ///< what people type, such as `./dev sim`
  std::uint64_t seed_count = 0;  ///< by default
  /// Gives what is wrong with a seed. The process ends after a failure.
  std::function<std::optional<std::string>(std::uint64_t seed)> check;
};

/// Reads the command line, runs, and ends the process: 0 every statement held, 1 a seed failed, 2
/// wrong usage.
[[noreturn]] void run_seed_program(const SeedProgram& program,
                                   int argument_count,
                                   char** arguments);

}  // namespace millrace::sim
