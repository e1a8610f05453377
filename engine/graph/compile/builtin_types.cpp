#include "graph/compile/builtin_types.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph/compile/descriptor.h"
#include "graph/format/words.h"

namespace millrace::graph {
namespace {

std::vector<OutputPort> out(std::string payload = std::string(kAnyPayload)) {
  return {{.name = "out", .payload = std::move(payload)}};
}

/// All values of an invocation are held until it is committed.
constexpr std::int64_t kPerInvocationMax = 100'000;

ConfigField per_invocation() {
  return {.name = "per_invocation",
          .kind = ConfigKind::kInt,
          .about = "values per invocation",
          .default_text = "1",
          .min = 1,
          .max = kPerInvocationMax};
}

std::vector<ComponentDescriptor> sources() {
  return {
      {.type = "core.counter",
       .about = "publishes the next integers, one publication each",
       .role = BoundaryRole::kInput,
       .outputs = out("number"),
       .config = {{.name = "count", .about = "how many (0: endless)", .default_text = "0"},
                  per_invocation(),
                  {.name = "start",
                   .about = "first",
                   .default_text = "1",
                   .is_fixed = true,
                   .min = INT64_MIN},
                  {.name = "step", .about = "difference", .default_text = "1", .min = INT64_MIN}},
       .finishes = Finishes::kWithCount},
      {.type = "core.values",
       .about = "publishes the given values, one publication each",
       .role = BoundaryRole::kInput,
       .outputs = out(),
       .config = {{.name = "values",
                   .kind = ConfigKind::kArray,
                   .about = "the values",
                   .is_required = true,
                   .is_fixed = true},
                  per_invocation(),
                  {.name = "timestamps_ms",
                   .kind = ConfigKind::kIntArray,
                   .about = "event timestamps, one for each value",
                   .is_fixed = true,
                   .max = INT64_MAX / 1'000'000,  // as nanoseconds
                   .same_size_as = "values"}},
       .finishes = Finishes::kAlways},
      {.type = "core.input",
       .about = "publishes what the host injects, one invocation each",
       .role = BoundaryRole::kInput,
       .outputs = out(),
       .config = {{.name = "capacity",
                   .about = "injected values that may wait",
                   .default_text = "64",
                   .min = 1}},
       .is_host_driven = true},
      {.type = "core.stdin",
       .about = "publishes one JSON value per line of standard input",
       .role = BoundaryRole::kInput,
       .outputs = out(),
       .is_host_driven = true},
  };
}

std::vector<ComponentDescriptor> sinks() {
  return {
      {.type = "core.output",
       .about = "keeps what the host polls",
       .role = BoundaryRole::kOutput,
       .takes_any_input = true,
       .needs_an_input = true,
       .config = {{.name = "capacity",
                   .about = "results that may wait",
                   .default_text = "64",
                   .min = 1}}},
      {.type = "core.stdout",
       .about = "prints one line per message",
       .role = BoundaryRole::kOutput,
       .takes_any_input = true,
       .needs_an_input = true,
       .config = {{.name = "time",
                   .kind = ConfigKind::kBool,
                   .about = "print the time too",
                   .default_text = "false"},
                  {.name = "ids",
                   .kind = ConfigKind::kBool,
                   .about = "print correlation and causation too",
                   .default_text = "false"}}},
      {.type = "core.table",
       .about = "writes {key, value} or the members of an object to a state table; with key, the "
                "whole message under that key",
       .role = BoundaryRole::kOutput,
       .takes_any_input = true,
       .needs_an_input = true,
       .any_input_payload = "object",
       .any_payload_with = "key",
       .config = {{.name = "table",
                   .kind = ConfigKind::kText,
                   .about = "name of the table",
                   .is_required = true},
                  {.name = "key",
                   .kind = ConfigKind::kText,
                   .about = "key of every message; without it messages name their keys"}},
       .table_field = "table"},
  };
}

std::vector<ComponentDescriptor> steps() {
  return {
      {.type = "core.linear",
       .about = "value * factor + offset; integers stay integers",
       .outputs = out("number"),
       .takes_any_input = true,
       .any_input_payload = "number",
       .config =
           {{.name = "factor", .kind = ConfigKind::kNumber, .about = "factor", .default_text = "1"},
            {.name = "offset",
             .kind = ConfigKind::kNumber,
             .about = "offset",
             .default_text = "0"}}},
      {.type = "core.collect",
       .about = "one array of the values of an invocation",
       .outputs = out("array"),
       .takes_any_input = true},
      {.type = "core.spend",
       .about = "takes time, then passes on",
       .outputs = out(),
       .takes_any_input = true,
       .config = {{.name = "cost",
                   .kind = ConfigKind::kDuration,
                   .about = "time per call",
                   .default_text = "\"0ms\"",
                   .excludes = "costs"},
                  {.name = "costs",
                   .kind = ConfigKind::kDurationArray,
                   .about = "time of each call; the last repeats"},
                  {.name = "busy",
                   .kind = ConfigKind::kBool,
                   .about = "compute instead of waiting",
                   .default_text = "false"}}},
      {.type = "core.fail",
       .about = "fails as configured, else passes on",
       .outputs = out(),
       .takes_any_input = true,
       .config = {{.name = "fail_at",
                   .kind = ConfigKind::kIntArray,
                   .about = "numbers of the calls that fail",
                   .min = 1}}},
  };
}

/// Steps with a state or a time of their own.
std::vector<ComponentDescriptor> timed_steps() {
  return {
      {.type = "core.relax",
       .about = "x += gain * (target - x); publishes x and reports the residual",
       .inputs = {{.name = "in", .payload = "number", .is_single = true}},
       .outputs = out("number"),
       .config = {{.name = "start",
                   .kind = ConfigKind::kNumber,
                   .about = "first x",
                   .default_text = "0",
                   .is_fixed = true},
                  {.name = "target",
                   .kind = ConfigKind::kNumber,
                   .about = "where x goes",
                   .is_required = true},
                  {.name = "gain",
                   .kind = ConfigKind::kNumber,
                   .about = "part of the way per call",
                   .default_text = "0.5"}}},
      {.type = "core.task",
       .about = "submits a task per message that gives the value back",
       .outputs = out(),
       .takes_any_input = true,
       .config = {{.name = "delay",
                   .kind = ConfigKind::kDuration,
                   .about = "how long the task takes",
                   .default_text = "\"0ms\""}}},
      {.type = "core.meter",
       .about = "messages per second",
       .outputs = out("number"),
       .takes_any_input = true,
       .config = {{.name = "window",
                   .kind = ConfigKind::kDuration,
                   .about = "time over which they are counted",
                   .default_text = "\"1s\""}}},
      {.type = "core.top_counts",
       .about = "counts messages by a field over a sliding window; publishes the largest counts as "
                "an object",
       .outputs = out("object"),
       .takes_any_input = true,
       .needs_an_input = true,
       .config = {{.name = "by",
                   .kind = ConfigKind::kText,
                   .about = "field whose text or integer is counted; without it the message itself "
                            "is",
                   .is_fixed = true},
                  {.name = "window",
                   .kind = ConfigKind::kDuration,
                   .about = "time over which messages count, in 60 steps",
                   .default_text = "\"1m\"",
                   .is_fixed = true},
                  {.name = "top",
                   .about = "how many counts are published",
                   .default_text = "100",
                   .min = 1,
                   .max = 100'000},
                  {.name = "keys_max",
                   .about = "different values that are counted at a time; messages with others are "
                            "ignored",
                   .default_text = "100000",
                   .min = 1,
                   .max = 10'000'000}}},
  };
}

}  // namespace

std::vector<ComponentDescriptor> builtin_types() {
  std::vector<ComponentDescriptor> all = sources();
  for (ComponentDescriptor& descriptor : sinks()) all.push_back(std::move(descriptor));
  for (ComponentDescriptor& descriptor : steps()) all.push_back(std::move(descriptor));
  for (ComponentDescriptor& descriptor : timed_steps()) all.push_back(std::move(descriptor));
  return all;
}

}  // namespace millrace::graph
