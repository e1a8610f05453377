#pragma once

#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace millrace::rankd {

/// What the command line says to `rankd serve`.
struct ServeFlags {
  std::vector<std::pair<std::string, std::string>> settings;  ///< names and values, in order
  std::string config_file;
  bool check_config = false;
  bool print_config = false;
};

/// Adds the options that only `rankd serve` has.
void add_serve_options(CLI::App& command, ServeFlags& flags);

/// Adds the settings that options of all commands give, before those of `add_serve_options`. To be
/// called after the command line was read.
void add_common_settings(const CLI::App& app, ServeFlags& flags);

}  // namespace millrace::rankd
