#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace millrace::rankd {

enum class Command : std::uint8_t {
  kRun,
  kServe,
  kBench,
  kExplain,
  kCheck,
  kSeed,
  kDoctor,
  kListPlans,
  kPrintRegistry,
  kPrintTaskManifest,
};

enum class Format : std::uint8_t { kText, kJson };

/// The command line, as given.
struct Flags {
  Command command = Command::kRun;
  // What to load.
  std::string root;          ///< folder that holds registry/, plans/ and data/; empty: found
  std::string plan_dir;      ///< empty: ROOT/plans
  std::string registry_dir;  ///< empty: ROOT/registry
  std::string env = "dev";
  std::vector<std::string> plan_files;
  std::string plan_name;
  std::vector<std::string> plugins;
  // How to run.
  bool async_scheduler = true;  ///< the only one; the flag is accepted
  double deadline_ms = 0;       ///< 0: none
  double node_timeout_ms = 0;   ///< 0: none
  std::uint32_t cpu_threads = 0;
  std::uint32_t loops = 1;
  bool ids_as_strings = false;
  bool allow_scheduling_overrides = false;
  std::string dump_run_trace;
  Format format = Format::kText;
  // bench
  std::int64_t bench_count = 0;
  std::int64_t bench_concurrency = 1;
  std::string bench_request = R"({"user_id": 1})";
  // seed
  std::int64_t seed_users = 100;
  std::uint64_t seed_seed = 1;
  std::string seed_out;
};

/// What to do instead of a command: print `text` and end with `exit_code`.
struct EarlyExit {
  int exit_code = 0;
  std::string text;
};

/// Reads the command line; `--help` and mistakes are early exits (0 and 2).
[[nodiscard]] std::expected<Flags, EarlyExit> read_flags(int argc, const char* const* argv);

}  // namespace millrace::rankd
