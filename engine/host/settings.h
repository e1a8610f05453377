#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log/log.h"
#include "plan/compile_options.h"
#include "rows/stop_check.h"
#include "tasks/pinned_state.h"

namespace millrace::host {

/// The settings of a process that ranks.
struct Settings {
  // What to load.
  std::string root;          ///< folder with registry/, plans/ and data/; empty: searched for
  std::string plan_dir;      ///< empty: ROOT/plans
  std::string registry_dir;  ///< empty: ROOT/registry
  std::string env = "dev";
  std::vector<std::string> plan_files;
  std::string plan_name;  ///< plan of requests that name none; empty: the only one, or none
  std::vector<std::string> plugins;
  plan::CompileOptions passes;  ///< which compile passes run
  // How to run.
  std::optional<base::Duration> deadline;      ///< of requests that name none
  std::optional<base::Duration> node_timeout;  ///< of every node, in addition to its own
  std::uint32_t cpu_threads = 0;               ///< 0: as many as the machine has cores
  std::uint32_t loops = 0;                     ///< 0: chosen from the machine and the endpoints
  bool pin = false;  ///< puts each loop and each worker on a processor of its own, loops first
  // When a node runs on its loop, or right after the node before it.
  /// A cpu node that costs less runs on the loop: handing it to a worker and back would take longer
  /// than the node itself.
  base::Duration inline_threshold = std::chrono::microseconds(50);
  base::Duration loop_inline_budget = std::chrono::milliseconds(2);  ///< per turn of a loop
  /// Nodes that run after each other before others get a turn; unset: turns are by time only.
  std::optional<std::uint32_t> max_inline_depth;
  bool inlining = true;
  bool chaining = true;
  /// When more nodes than this are ready but not running, new requests are refused, until the
  /// number has fallen below half of it.
  std::int64_t high_water = 8192;
  std::int64_t inflight_max = 1024;    ///< requests under way at a time; more are refused
  std::int64_t plan_inflight_max = 0;  ///< the same for each plan; 0: no limit of its own
  /// The share of `inflight_max` up to which requests of each class enter, from `high` on.
  std::array<double, 4> class_shares = {1, 1, 1, 1};
  std::string id_prefix = "e";  ///< what the ids begin with that the engine gives to requests
  rows::RowLimits row_limits;   ///< what each request may make
  bool ids_as_strings = false;
  bool allow_scheduling_overrides = false;
  std::string dump_run_trace;             ///< file for a Chrome trace of all runs; empty: none
  std::int64_t trace_file_mb_max = 1024;  ///< later runs are left out of that file
  /// Where the engine and its clients log; outlives the engine. Null: nothing is logged.
  base::Logger* log = nullptr;
  /// Gives the state tables that plans with a graph endpoint read; outlives the engine. Null: no
  /// graph runs in this process.
  const tasks::PinSource* pins = nullptr;
};

/// Why a process could not start; `text` may have several lines.
struct StartError {
  std::string text;
};

}  // namespace millrace::host
