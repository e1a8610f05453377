#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "apps/command_line.h"
#include "graph/format/limits.h"

namespace millrace::topoexec {

enum class Subcommand : std::uint8_t {
  kValidate,
  kPlan,
  kRender,
  kLint,
  kExplain,
  kDiffPlan,
  kRun,
  kTrace,
  kMetrics,
  kWhy,
  kObserve,
  kBench,
  kTest,
  kReplay,
  kSchemaDump,
  kSchemaCheck,
  kDoctor,
};

enum class Format : std::uint8_t { kText, kJson, kMermaid, kSvg, kChrome };

/// The command line, as given.
struct Flags {
  Subcommand command = Subcommand::kDoctor;
  Format format = Format::kText;
  std::string file;
  std::string other_file;  ///< of diff-plan
  std::string component;   ///< of explain and why
  bool strict = false;
  std::optional<std::uint64_t> steps = {};
  std::optional<std::int64_t> duration_ms = {};
  bool until_idle = false;
  bool virtual_time = false;
  std::optional<std::uint64_t> epoch = {};  ///< of why
  std::string record;                       ///< of run: the file to write
  std::string admin;                        ///< of run: where it can be asked
  bool admin_anywhere = false;              ///< of run: other machines may ask too
  std::string at;                           ///< of why: a running graph to ask
  std::int64_t interval_ms = 1000;          ///< of observe
  bool once = false;                        ///< of observe
  std::uint32_t repeat = 5;                 ///< of bench
  std::vector<std::string> plugins = {};    ///< shared objects with component types
  graph::GraphLimits limits;
};

using apps::EarlyExit;

/// Reads the command line; `--help` and mistakes are early exits (0 and 2).
[[nodiscard]] std::expected<Flags, EarlyExit> read_flags(int argc, const char* const* argv);

}  // namespace millrace::topoexec
