#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "graph/format/limits.h"

namespace millrace::topoexec {

enum class Subcommand : std::uint8_t {
  kValidate,
  kPlan,
  kRender,
  kLint,
  kExplain,
  kDiffPlan,
  kSchemaDump,
  kSchemaCheck,
  kDoctor,
};

enum class Format : std::uint8_t { kText, kJson, kMermaid, kSvg };

/// The command line, as given.
struct Flags {
  Subcommand command = Subcommand::kDoctor;
  Format format = Format::kText;
  std::string file;
  std::string other_file;  ///< of diff-plan
  std::string component;   ///< of explain
  bool strict = false;
  graph::GraphLimits limits;
};

/// What to do instead of a command: print `text` and end with `exit_code`.
struct EarlyExit {
  int exit_code = 0;
  std::string text;
};

/// Reads the command line; `--help` and mistakes are early exits (0 and 2).
[[nodiscard]] std::expected<Flags, EarlyExit> read_flags(int argc, const char* const* argv);

}  // namespace millrace::topoexec
