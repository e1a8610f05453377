#include "random_fields.h"

#include <string>

#include "base/format.h"

namespace millrace::graph_reference {

void RandomFields::add_grid_fields(LaneModel& lane) {
  lane.fields.emplace_back("wall_clock_enabled: true");
  if (chance(0.6)) {
    lane.fields.push_back("overrun_policy: " + pick({"drop_tick", "skip_next", "catch_up_once"}));
  }
  if (chance(0.3)) lane.fields.push_back("phase: " + milliseconds_text(0, 8));
}

Fields RandomFields::pick_pool() {
  Fields fields = {"type: thread_pool"};
  if (chance(0.8)) fields.push_back(base::format("max_threads: {}", below(4)));
  if (chance(0.6)) fields.push_back(base::format("queue_capacity: {}", below(4)));
  if (chance(0.6)) {
    fields.push_back(
        "overflow: " +
        (chance(0.1)
             ? std::string("fail_fast")
             : pick({"overwrite", "drop_oldest", "drop_newest", "reject", "reject_new", "block"})));
  }
  if (chance(0.5)) fields.push_back(base::format("starvation_guard_every: {}", 1 + below(5)));
  return fields;
}

Fields RandomFields::pick_trigger(bool are_timed) {
  if (are_timed && chance(0.6)) {
    const std::string type = pick({"time_sync", "watermark", "condition"});
    if (type == "time_sync") return {"type: time_sync", "slop: " + milliseconds_text(0, 12)};
    if (type == "watermark") return {"type: watermark", "lateness: " + milliseconds_text(0, 9)};
    return {"type: condition", "condition: event_timestamp_present"};
  }
  const std::string type = pick({"any_input",
                                 "any_input",
                                 "any_input",
                                 "on_event",
                                 "all_inputs",
                                 "all_inputs",
                                 "batch",
                                 "debounce",
                                 "rate_limit",
                                 "condition"});
  Fields fields = {"type: " + type};
  if (type == "batch") {
    fields.push_back(base::format("batch_size: {}", 1 + below(4)));
    if (chance(0.7)) fields.push_back("batch_window: " + milliseconds_text(1, 12));
  }
  if (type == "debounce") fields.push_back("window: " + milliseconds_text(1, 12));
  if (type == "rate_limit") fields.push_back("min_interval: " + milliseconds_text(1, 12));
  if (type == "condition") {
    fields.push_back("condition: " +
                     pick({"all_inputs_ready", "any_input_ready", "event_timestamp_present"}));
  }
  const bool may_coalesce = type == "any_input" || type == "all_inputs";
  if (may_coalesce && chance(0.2)) fields.emplace_back("coalesce: true");
  return fields;
}

void RandomFields::add_modifiers(Fields& trigger) {
  const bool is_free =
      trigger.front() != "type: rate_limit" && trigger.front() != "type: condition";
  if (chance(0.12) && is_free) {
    trigger.push_back("min_interval: " + milliseconds_text(1, 12));
  }
  if (chance(0.1)) trigger.push_back("max_latency: " + milliseconds_text(1, 20));
  if (chance(0.12)) trigger.push_back("max_silence: " + milliseconds_text(5, 25));
}

Fields RandomFields::pick_policy(const std::string& kind,
                                 bool allows_latched,
                                 const std::string& trigger) {
  Fields fields;
  const std::string mode = pick({"default",
                                 "latest",
                                 "queue",
                                 "queue",
                                 "queue",
                                 "ring_buffer",
                                 "barrier",
                                 "latched",
                                 "previous_tick"});
  const bool is_previous = mode == "previous_tick" && kind == "immediate" && chance(0.5);
  const bool is_latched = mode == "latched" && allows_latched;
  if (is_previous || is_latched) {
    fields = {"mode: " + mode};
  } else if (mode == "queue" || mode == "ring_buffer" || mode == "barrier" ||
             trigger == "type: batch") {
    const bool is_held = mode == "barrier" && trigger != "type: batch";
    fields.push_back(is_held ? "mode: barrier" : "mode: queue");
    fields.push_back(base::format("capacity: {}", 1 + below(5)));
    if (chance(0.7)) {
      fields.push_back("overflow: " +
                       (chance(0.08)
                            ? std::string("fail_fast")
                            : pick({"overwrite", "drop_oldest", "drop_newest", "reject"})));
    }
  } else if (mode == "latest") {
    fields = {"mode: latest"};
    if (chance(0.3)) fields.push_back("overflow: " + pick({"drop_oldest", "reject"}));
  }
  const bool is_barrier = !fields.empty() && fields.front() == "mode: barrier";
  if (chance(0.12) && !is_latched && !is_barrier)
    fields.push_back("lifespan: " + milliseconds_text(1, 15));
  if (chance(0.12)) fields.push_back("deadline: " + milliseconds_text(1, 15));
  return fields;
}

}  // namespace millrace::graph_reference
