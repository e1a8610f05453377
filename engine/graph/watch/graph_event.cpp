#include "graph/watch/graph_event.h"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace millrace::graph {
namespace {

constexpr std::array<std::string_view, 32> kEventNames = {
    "scheduler_iteration_begin",
    "scheduler_iteration",
    "scheduler_iteration_end",
    "component_execute_begin",
    "component_execute",
    "component_execute_end",
    "component_cancellation_requested",
    "component_cancellation_observed",
    "component_timeout_budget_exceeded",
    "thread_pool_batch",
    "fixed_rate_tick_begin",
    "fixed_rate_tick",
    "fixed_rate_tick_end",
    "fixed_rate_overrun",
    "fixed_rate_skipped_tick",
    "loop_cancellation_requested",
    "loop_cancellation_observed",
    "channel_publish",
    "channel_commit",
    "channel_drop",
    "state_commit",
    "async_admission",
    "config_transaction",
    "loop_iteration_begin",
    "loop_iteration",
    "loop_iteration_end",
    "loop_end",
    "component_abandoned",
    "component_restart",
    "health_event",
    "task_submitted",
    "task_completed",
};

}  // namespace

std::span<const std::string_view> graph_event_names() { return kEventNames; }

std::string_view to_string(GraphEventName name) {
  return kEventNames[static_cast<std::size_t>(name)];
}

}  // namespace millrace::graph
