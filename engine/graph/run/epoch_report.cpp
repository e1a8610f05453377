#include "graph/run/epoch_report.h"

#include <chrono>
#include <cstdint>

#include "base/metrics/metric_cell.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/domains.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"
#include "graph/run/run_tables.h"
#include "graph/watch/graph_cells.h"
#include "graph/watch/graph_event.h"

namespace millrace::graph {
namespace {

double as_ms(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

void raise_to(base::GaugeCell& gauge, double value) {
  if (value > gauge.value()) gauge.set(value);
}

}  // namespace

void EpochReport::end(const EpochEnd& end) {
  const Duration took = run_.now - run_.boundary;
  for (const std::uint32_t lane : tables_.graph.domains[run_.index].lanes) {
    LaneCells& cells = tables_.metrics.lanes[lane];
    cells.tick_count.add();
    if (took != Duration::zero() || cells.last_callback_duration_ms.value() != 0) {
      cells.last_callback_duration_ms.set(as_ms(took));
    }
    if (tables_.graph.lanes[lane].type == LaneType::kFixedRate) end_tick(lane, end);
  }
  trace_epoch(GraphEventName::kSchedulerIterationEnd);
}

void EpochReport::end_tick(std::uint32_t lane, const EpochEnd& end) {
  const LaneSpec& spec = tables_.graph.lanes[lane];
  LaneCells& cells = tables_.metrics.lanes[lane];
  const Duration took = run_.now - run_.boundary;
  const Duration period = lane_period(spec);
  const Duration budget = spec.tick_budget != Duration::zero() ? spec.tick_budget : period;
  if (lane == cadence_lane_) {
    cells.tick_jitter_ms.set(as_ms(run_.boundary - end.slot));
    if (end.is_on_grid && run_.boundary > end.last_end) {
      raise_to(cells.blocked_duration_ms, as_ms(run_.boundary - end.last_end));
    }
    cells.skipped_tick_count.add(end.skipped);
    if (end.skipped > 0) {
      tables_.trace(
          run_,
          {.name = GraphEventName::kFixedRateSkippedTick, .lane = lane, .first = end.skipped});
    }
  }
  if (period != Duration::zero() && took > period) {
    raise_to(cells.max_lateness_ms, as_ms(took - period));
  }
  if (budget == Duration::zero() || took <= budget) return;
  cells.tick_overrun_count.add();
  tables_.trace(run_,
                {.name = GraphEventName::kFixedRateOverrun,
                 .lane = lane,
                 .first = static_cast<std::uint64_t>((took - budget).count())});
}

void EpochReport::trace_epoch(GraphEventName name) {
  if (!tables_.events.is_on()) [[likely]]
    return;
  const bool begins = name == GraphEventName::kSchedulerIterationBegin;
  const auto span = [this](GraphEventName span_name, std::uint32_t lane) {
    tables_.trace(run_,
                  {.name = span_name,
                   .has_duration = true,
                   .lane = lane,
                   .time = run_.boundary,
                   .duration = run_.now - run_.boundary});
  };
  if (begins) tables_.trace(run_, {.name = name});
  for (const std::uint32_t lane : tables_.graph.domains[run_.index].lanes) {
    if (tables_.graph.lanes[lane].type != LaneType::kFixedRate) continue;
    if (!begins) span(GraphEventName::kFixedRateTick, lane);
    tables_.trace(
        run_,
        {.name = begins ? GraphEventName::kFixedRateTickBegin : GraphEventName::kFixedRateTickEnd,
         .lane = lane});
  }
  if (begins) return;
  span(GraphEventName::kSchedulerIteration, kNoIndex);
  tables_.trace(run_, {.name = name});
}

}  // namespace millrace::graph
