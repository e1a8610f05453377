#include "graph/compile/lane_fields.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/formats/json_document.h"
#include "graph/compile/links.h"
#include "graph/format/diagnostic.h"
#include "graph/format/reporter.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"

namespace millrace::graph {
namespace {

using LaneTypes = std::uint8_t;

constexpr LaneTypes bit(LaneType type) {
  return static_cast<LaneTypes>(1U << static_cast<unsigned>(type));
}

constexpr LaneTypes kRateLanes = bit(LaneType::kFixedRate);
constexpr LaneTypes kPoolLanes = bit(LaneType::kThreadPool);
constexpr LaneTypes kAbandoningLanes = kPoolLanes | bit(LaneType::kIsolatedThread);

/// A field that only some lane types have.
struct LaneFieldRow {
  std::string_view name;
  LaneTypes types;
};

constexpr LaneFieldRow kLaneFields[] = {
    {"period", kRateLanes},
    {"period_ms", kRateLanes},
    {"hz", kRateLanes},
    {"tick_budget", kRateLanes},
    {"tick_budget_ms", kRateLanes},
    {"overrun_policy", kRateLanes},
    {"independent", kRateLanes},
    {"phase", kRateLanes},
    {"phase_ms", kRateLanes},
    {"max_threads", kPoolLanes},
    {"queue_capacity", kPoolLanes},
    {"overflow", kPoolLanes},
    {"starvation_guard_every", kPoolLanes},
    {"abandon_max", kAbandoningLanes},
};

class LaneChecker {
 public:
  LaneChecker(const LaneSpec& lane, Reporter& reporter) : lane_(lane), reporter_(reporter) {}

  void run() {
    for (const std::string_view field : advisory_fields(lane_)) report_advisory(field);
    for (const LaneFieldRow& row : kLaneFields) {
      const auto given = lane_.source->find_member(row.name);
      if (!given || (row.types & bit(lane_.type)) != 0) continue;
      reporter_.at_key(
          DiagnosticCode::kFieldNotApplicable,
          *given,
          base::format("{} has no meaning on a lane of type {}", row.name, to_string(lane_.type)));
    }
    if (lane_.type == LaneType::kFixedRate) check_rate();
    if (lane_.type == LaneType::kThreadPool && lane_.queue_capacity == 0) {
      reporter_.at_member(DiagnosticCode::kPoolAdmitsActiveWidthOnly,
                          lane_.source,
                          "queue_capacity",
                          "Invocations beyond the active threads are rejected");
    }
  }

 private:
  void report_advisory(std::string_view field) {
    const bool is_clock = field == "wall_clock_enabled";
    const bool is_name = field == "thread_name";
    reporter_.at_member(DiagnosticCode::kAdvisoryLaneFieldIgnored,
                        lane_.source,
                        field,
                        base::format("{} of lane '{}' is not applied", field, lane_.id),
                        is_clock  ? "remove it, or make the lane fixed_rate"
                        : is_name ? "remove it: the lane has no threads of its own"
                                  : "");
  }

  void check_rate() {
    const bool has_period = lane_.period > Duration::zero() || lane_.hz > 0;
    if (lane_.independent && !lane_.wall_clock_enabled) {
      reporter_.at_member(DiagnosticCode::kIndependentNeedsWallClock,
                          lane_.source,
                          "independent",
                          base::format("Lane '{}' does not use the wall clock", lane_.id));
    }
    if (lane_.wall_clock_enabled && !has_period) {
      reporter_.at_member(DiagnosticCode::kPeriodNeeded,
                          lane_.source,
                          "wall_clock_enabled",
                          base::format("Lane '{}' has neither period nor hz", lane_.id));
    }
  }

  const LaneSpec& lane_;
  Reporter& reporter_;
};

void check_execution(const ComponentSpec& component, const LaneSpec& lane, Reporter& reporter) {
  const ExecutionSpec& execution = component.execution;
  if (execution.abandon_after > Duration::zero() && (kAbandoningLanes & bit(lane.type)) == 0) {
    const bool has_unit = execution.source->find_member("abandon_after").has_value();
    reporter.at_member(DiagnosticCode::kAbandonNeedsWorker,
                       execution.source,
                       has_unit ? "abandon_after" : "abandon_after_ms",
                       base::format("Lane '{}' has no worker that could be replaced", lane.id));
  }
  if (execution.reentrant && lane.type != LaneType::kThreadPool) {
    reporter.at_key(DiagnosticCode::kFieldNotApplicable,
                    *execution.source->find_member("reentrant"),
                    base::format("Lane '{}' runs one invocation at a time", lane.id));
  }
}

void check_loop_policies(const CheckContext& context) {
  for (const CompositeLoopSpec& loop : context.spec.loops) {
    if (!loop.is_readable) continue;
    const auto& source = loop.policy.source;
    const bool is_solver = loop.policy.type == CompositeLoopType::kSolverIteration;
    if (loop.policy.residual_threshold && !is_solver) {
      context.reporter.at_key(DiagnosticCode::kFieldNotApplicable,
                              *source->find_member("residual_threshold"),
                              "residual_threshold applies to solver_iteration only");
    }
    if (loop.policy.type == CompositeLoopType::kTransaction && loop.policy.max_iterations > 1) {
      context.reporter.at_key(DiagnosticCode::kFieldNotApplicable,
                              *source->find_member("max_iterations"),
                              "A transaction is one pass");
    }
  }
}

}  // namespace

bool has_own_threads(const LaneSpec& lane) {
  return lane.type == LaneType::kThreadPool || lane.type == LaneType::kIsolatedThread ||
         (lane.type == LaneType::kFixedRate && lane.independent);
}

std::vector<std::string_view> advisory_fields(const LaneSpec& lane) {
  std::vector<std::string_view> fields;
  if (lane.wall_clock_enabled && lane.type != LaneType::kFixedRate) {
    fields.emplace_back("wall_clock_enabled");
  }
  if (!lane.thread_name.empty() && !has_own_threads(lane)) fields.emplace_back("thread_name");
  if (lane.enforce != Enforce::kOff) return fields;
  if (lane.priority != 0) fields.emplace_back("priority");
  if (!lane.cpu_affinity.empty()) fields.emplace_back("cpu_affinity");
  if (lane.nice_priority != 0) fields.emplace_back("nice_priority");
  if (lane.rt_policy != RtPolicy::kNone) fields.emplace_back("rt_policy");
  if (lane.rt_priority != 0) fields.emplace_back("rt_priority");
  if (lane.isolation_intent != IsolationIntent::kNone) fields.emplace_back("isolation_intent");
  return fields;
}

std::vector<std::string_view> implemented_capabilities(LaneType type) {
  std::vector<std::string_view> names = {"deterministic_region_order",
                                         "stop_checks",
                                         "runtime_owned_publication_commit",
                                         "runtime_priority_ordering",
                                         "cooperative_cancellation",
                                         "timeout_budget_observation",
                                         "live_watchdog"};
  const auto add = [&names](std::initializer_list<std::string_view> more) {
    names.insert(names.end(), more);
  };
  if (type == LaneType::kFixedRate) {
    add({"bounded_simulated_ticks",
         "wall_clock_cadence",
         "independent_cadence",
         "overrun_policy",
         "overrun_metrics",
         "os_settings"});
  } else if (type == LaneType::kThreadPool) {
    add({"persistent_workers",
         "bounded_priority_queue",
         "queue_admission",
         "overflow_policy",
         "starvation_guard",
         "non_reentrant_serialization",
         "worker_id_trace",
         "batch_trace_span",
         "thread_naming",
         "abandon",
         "os_settings"});
  } else if (type == LaneType::kIsolatedThread) {
    add({"thread_naming", "abandon", "os_settings", "dedicated_thread"});
  } else if (type == LaneType::kManualStep) {
    add({"manual_step"});
  }
  return names;
}

void check_lanes(const CheckContext& context, const Links& links) {
  for (const LaneSpec& lane : context.spec.lanes) {
    if (lane.is_readable) LaneChecker(lane, context.reporter).run();
  }
  for (std::size_t i = 0; i < links.components.size(); ++i) {
    const auto lane = links.components[i].lane;
    if (!lane || !context.spec.lanes[*lane].is_readable) continue;
    check_execution(context.spec.components[i], context.spec.lanes[*lane], context.reporter);
  }
  check_loop_policies(context);
}

}  // namespace millrace::graph
