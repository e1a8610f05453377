#pragma once

#include <expected>
#include <string>

namespace CLI {
class App;
}

// What the command lines of all programs have in common.

namespace millrace::apps {

/// Says that no command is to run: print `text` and exit with `exit_code`.
struct EarlyExit {
  int exit_code = 0;
  std::string text;
};

/// Adds `--version`, and to the help of the program and of each subcommand the exit codes; the help
/// of a subcommand also lists the options that it shares with the others. Call it last.
void finish_command_line(CLI::App& app, const std::string& exit_codes);

/// Reads the command line; `--help`, `--version` and mistakes are early exits (0 and 2). A name
/// that does not exist gets a suggestion.
[[nodiscard]] std::expected<void, EarlyExit> parse_command_line(CLI::App& app,
                                                                int argc,
                                                                const char* const* argv);

}  // namespace millrace::apps
