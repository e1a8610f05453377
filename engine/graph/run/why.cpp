#include "graph/run/why.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/format.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/run/channel.h"
#include "graph/run/domain.h"
#include "graph/run/engine.h"
#include "graph/run/run_tables.h"
#include "graph/run/trigger.h"

namespace millrace::graph {
namespace {

std::string time_text(Duration time) {
  return base::format("{} ms", std::chrono::duration<double, std::milli>(time).count());
}

std::string why_it_ran(const RunTables& tables, const ComponentRun& run) {
  switch (run.last_kind) {
    case EventKind::kManual:
      return "it has no trigger and runs in every epoch";
    case EventKind::kTimer:
      return "its timer was due";
    case EventKind::kInjected:
      return "the host gave it a value";
    case EventKind::kSilence:
      return "no message came for max_silence";
    default:
      break;
  }
  const std::string message = tables.message_text(run.last_cause);
  if (message.empty()) return "a value that stays in force was there";
  return base::format("message {} was there", message);
}

/// Fills in the inputs that have nothing to take.
void list_missing(const ComponentRun& run, WhyReport& report) {
  for (const TriggerInput& input : run.trigger->inputs()) {
    if (Trigger::has_message(input)) continue;
    std::uint64_t last = 0;
    for (const Channel* channel : input.channels) {
      last = std::max(last, channel->last_arrival() >> kArrivalEpochShift);
    }
    const bool is_injected = input.edges.front() == kNoIndex;
    report.waits_for.push_back({.input = is_injected ? "(the host)" : run.input_names[input.input],
                                .missing_since_epoch = last + 1});
  }
}

void say_what_is_missing(const ComponentRun& run, WhyReport& report) {
  list_missing(run, report);
  if (report.waits_for.empty()) {
    report.reason = "its inputs have messages, but not those that its trigger needs together";
    return;
  }
  std::string names;
  for (const MissingInput& missing : report.waits_for) {
    names += base::format("{}'{}'", names.empty() ? "" : ", ", missing.input);
    if (!report.since || missing.missing_since_epoch > *report.since) {
      report.since = missing.missing_since_epoch;
    }
  }
  report.reason = base::format("no message on {}", names);
}

void why_it_did_not(const Engine& engine, std::uint32_t component, WhyReport& report) {
  const RunTables& tables = engine.tables();
  const ComponentRun& run = tables.components[component];
  const Trigger& trigger = *run.trigger;
  if (tables.waits_for_line(component)) {
    report.reason = "it waits for a line of standard input";
  } else if (report.epoch == 0) {
    report.reason = "its domain has not had an epoch yet";
  } else if (run.is_isolated) {
    report.reason = "it is isolated since it failed";
    report.since = run.last_run_epoch;
  } else if (run.down_until) {
    report.reason = "it failed, and its new instance waits for its backoff";
    report.due_at = run.down_until;
    report.since = run.last_run_epoch;
  } else if (tables.is_stuck(component)) {
    report.reason = "an invocation that was given up still runs in it";
    report.since = run.last_run_epoch;
  } else if (run.last_rejected_epoch == report.epoch) {
    report.reason = "its lane was full and rejected it";
  } else if ((trigger.is_manual() || trigger.has_timer()) && trigger.is_finished()) {
    report.reason = "it has finished";
    report.since = run.last_run_epoch + 1;
  } else if (const auto due = trigger.next_time()) {
    const bool waits_for_input = trigger.waiting_rule() == "max_silence";
    if (waits_for_input) {
      say_what_is_missing(run, report);
      report.reason += base::format("; max_silence calls it at {}", time_text(*due));
    } else {
      report.reason =
          base::format("{} holds it back until {}", trigger.waiting_rule(), time_text(*due));
      list_missing(run, report);
    }
    report.due_at = due;
  } else if (!tables.errors.empty()) {
    report.reason = "the run failed before its turn";
  } else {
    say_what_is_missing(run, report);
  }
}

}  // namespace

WhyReport explain_component(const Engine& engine, std::uint32_t component) {
  const RunTables& tables = engine.tables();
  const CompiledComponent& compiled = tables.graph.components[component];
  const ComponentRun& run = tables.components[component];
  const Domain& domain = engine.domain(compiled.domain);
  WhyReport report{.component = compiled.id,
                   .epoch = domain.run().epoch,
                   .reason = {},
                   .lane_state = domain.describe_lane()};
  if (engine.is_paused() && domain.state() == DomainState::kIdle) {
    report.lane_state = "paused: no epoch begins before resume";
  }
  report.ran = run.under_way > 0 || (run.last_run_epoch == report.epoch && report.epoch > 0);
  if (run.under_way > 0) {
    report.reason = "an invocation of it has not returned yet";
  } else if (report.ran) {
    report.reason = why_it_ran(tables, run);
  } else {
    why_it_did_not(engine, component, report);
  }
  return report;
}

}  // namespace millrace::graph
