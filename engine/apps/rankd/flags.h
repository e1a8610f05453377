#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/command_line.h"
#include "apps/rankd/batch_flags.h"
#include "apps/rankd/nats_flags.h"
#include "apps/rankd/serve_flags.h"
#include "base/log/log_record.h"
#include "base/log/log_sink.h"
#include "host/settings.h"

namespace millrace::rankd {

enum class Subcommand : std::uint8_t {
  kRun,
  kServe,
  kBench,
  kExplain,
  kCheck,
  kSeed,
  kDoctor,
  kTest,
  kTrace,
  kProbe,
  kTop,
  kRequest,
  kBatch,
  kListPlans,
  kPrintRegistry,
  kPrintTaskManifest,
};

enum class Format : std::uint8_t { kText, kJson, kDot, kMermaid, kSvg };

/// The command line, as given.
struct Flags : host::Settings {
  Subcommand command = Subcommand::kRun;
  std::set<std::string> given;  ///< names of the options on the command line, as `--loops`
  bool async_scheduler = true;  ///< accepted and ignored: there is no other scheduler
  /// Unset: text, but JSON for answers, which others read.
  std::optional<Format> format;
  std::optional<base::LogFormat> log_format;  ///< unset: depends on where stderr goes
  std::optional<base::LogLevel> log_level;    ///< unset: depends on the command
  std::int64_t run_concurrency = 64;          ///< requests of `run` that are under way at a time
  std::string graph_file;                     ///< a graph to run beside the plans; empty: none
  std::string probe_address;                  ///< of the server that `probe` asks
  // top
  std::string top_address = "127.0.0.1:8080";
  bool top_once = false;
  double top_interval = 1;  ///< seconds between two looks
  /// Requests of `run` that take longer are logged; unset: none.
  std::optional<base::Duration> slow_request = std::chrono::seconds(1);
  // bench
  std::int64_t bench_count = 0;
  std::int64_t bench_concurrency = 1;
  std::string bench_request;        ///< one request to repeat; empty: a mix of users
  std::string bench_requests_file;  ///< one request per line
  std::int64_t bench_users = 100;   ///< of the mix; what `seed` makes by default
  ServeFlags serve;
  NatsFlags nats;  ///< of `request`
  BatchFlags batch;
  // test
  std::vector<std::string> suite_files;  ///< empty: all of the folder of plans
  std::string junit_file;                ///< where to write JUnit's XML; empty: nowhere
  // trace
  std::string trace_file;
  std::int64_t trace_run = 0;  ///< counts from 1; 0: the slowest
  // seed
  std::int64_t seed_users = 100;
  std::uint64_t seed_seed = 1;
  std::string seed_out;

  [[nodiscard]] Format format_or(Format otherwise) const { return format.value_or(otherwise); }
};

using apps::EarlyExit;

/// Reads the command line; `--help` and mistakes are early exits (0 and 2).
[[nodiscard]] std::expected<Flags, EarlyExit> read_flags(int argc, const char* const* argv);

}  // namespace millrace::rankd
