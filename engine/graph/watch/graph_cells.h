#pragma once

#include <cstddef>

#include "base/metrics/metric_cell.h"
#include "base/sync/atomics.h"

// The metric cells that the parts of a run write, one struct for each kind of place.

namespace millrace::graph {

struct ChannelCells {
  base::CounterCell publish_count, delivery_count, overwrite_count, drop_count, reject_count,
      stale_drop_count, deadline_miss_count;
  base::GaugeCell max_depth;
};

struct TriggerCells {
  base::CounterCell ready_count, coalesced_count, timeout_drop_count, batch_flush_count,
      time_sync_drop_count, late_drop_count, condition_suppressed_count,
      rate_limit_suppressed_count, missed_timer_count, isolated_drop_count, silence_count;
};

struct ComponentCells {
  base::CounterCell execution_count, error_count, budget_overrun_count,
      timeout_budget_exceeded_count, cancellation_requested_count, cancellation_observed_count,
      abandoned_count, late_publish_count, restart_count, max_age_exceeded_count;
  base::GaugeCell last_duration_ns, max_duration_ns;
};

struct LaneCells {
  base::CounterCell tick_count, completed_count, tick_overrun_count, skipped_tick_count,
      rejected_count, low_priority_rejected_count, priority_count[4], starvation_guard_count;
  base::GaugeCell worker_count, queue_capacity, in_flight_count, active_count, queue_depth,
      max_lateness_ms, blocked_duration_ms, last_callback_duration_ms, tick_jitter_ms;
};

struct LoopCells {
  base::CounterCell iterations, converged, budget_overrun, max_iterations_hit, output_discarded,
      error;
  base::GaugeCell residual;
};

/// Of one domain, so that each has one writer; readers see the sums.
struct alignas(base::kApartBytes) DomainCells {
  base::CounterCell staged, committed, refused, discarded;
  base::CounterCell state_committed_write_count, state_rejected_write_count;
};

/// Of the run as a whole.
struct RunCells {
  base::CounterCell task_submitted_count, task_completed_count, task_rejected_count,
      task_failed_count, task_cancelled_count;
  base::GaugeCell task_in_flight_count;
  base::GaugeCell config_version;
  base::CounterCell committed_update_count, rolled_back_update_count;
  base::CounterCell health_event_count, health_dropped_count;
  base::CounterCell trace_event_count, trace_dropped_count;
};

}  // namespace millrace::graph
