#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "runtime/admission.h"
#include "runtime/pool_settings.h"
#include "runtime/topology/node.h"

// What one seed describes: DAGs, runs of them, settings of the pool and of admission. Every random
// decision is made here or by the world's own random numbers.

namespace millrace::sim {

struct NodePlan {
  runtime::NodeKind kind = runtime::NodeKind::kCpu;
  base::Duration cost{};
  std::vector<std::uint32_t> producers;
  std::optional<base::Duration> timeout;
  runtime::FallbackKind fallback = runtime::FallbackKind::kNone;
  std::uint32_t fallback_node = runtime::kNoNode;
  std::optional<base::Duration> reserve;
  runtime::InlineHint inline_hint = runtime::InlineHint::kUnset;
  std::optional<runtime::Priority> priority;
  base::Duration cost_estimate{};
  base::Duration cost_per_row{};
  base::Duration work_per_row{};  ///< what each row of the run adds to `cost`
  bool looks_at_stop = false;     ///< cpu, on a loop: ends soon after its time is up
  bool honours_stop = true;       ///< async: gives up its wait when the run stops
  bool hops_to_pool = false;      ///< async: waits on the pool instead of the loop
  bool ends_on_pool = false;      ///< async: its coroutine ends on the pool
};

struct DagPlan {
  std::vector<NodePlan> nodes;
  bool uses_commit = false;  ///< bodies publish by `NodeSpec::commit`, so the full path is taken
  [[nodiscard]] bool needs_loop() const;
  [[nodiscard]] bool has_fallback() const;
};

/// When the handle of a run is released.
enum class HandleEnd : std::uint8_t { kAtOnce, kAtAnswer, kAtEnd };

/// The body that executes a run and waits for it.
struct OuterBody {
  std::uint32_t run = 0;
  std::uint32_t node = 0;
};

struct RunPlan {
  std::uint32_t dag = 0;
  base::Duration submit_after{};
  std::optional<std::uint32_t> follows;  ///< submitted from the answer of that run instead
  std::optional<OuterBody> inside;       ///< executed by that body instead
  std::optional<base::Duration> deadline_after;
  std::optional<base::Duration> cancel_after;
  runtime::Priority priority = runtime::Priority::kNormal;
  bool has_loop = false;
  bool is_traced = false;
  HandleEnd handle_end = HandleEnd::kAtAnswer;
  std::uint32_t row_count = 0;         ///< that every body tells of; 0: few, each its own number
  std::uint64_t salt = 0;              ///< makes the runs of one DAG differ
  std::vector<std::uint32_t> failing;  ///< nodes whose bodies fail, in order
};

struct Scenario {
  runtime::ExecutorConfig config;
  std::vector<DagPlan> dags;
  std::vector<RunPlan> runs;
  std::optional<runtime::AdmissionSettings> admission;
  bool loop_takes_time = false;  ///< bodies on the loop take time, so timers may be late
  /// Some turns run a whole strand at once; its bodies take no time and are measured as free.
  bool runs_whole_strands = true;
  bool loop_works_in_turns = false;  ///< jobs first and then timers, as a real loop does
  bool loop_stalls = false;     ///< something else holds the loop up now and then: timers are late
  bool is_timing_free = false;  ///< at most one failing node per run and no clock decides (D5)
  bool has_inner_runs = false;  ///< some runs are inside bodies of others

  /// Whether timers of the loop fire exactly when they are due.
  [[nodiscard]] bool is_loop_exact() const {
    return !loop_takes_time && !loop_works_in_turns && !loop_stalls;
  }
};

/// Makes the scenario of a seed. `nodes_max` bounds each dag.
[[nodiscard]] Scenario make_scenario(std::uint64_t seed, std::uint32_t nodes_max);

/// Says whether this body is one of the few that take far longer than the others of their node, so
/// that estimates are wrong.
[[nodiscard]] bool is_slow_body(const RunPlan& run, std::uint32_t node);

/// Combines two numbers into a third that is independent of both.
[[nodiscard]] std::uint64_t mix(std::uint64_t left, std::uint64_t right);

}  // namespace millrace::sim
