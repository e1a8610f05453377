#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference_channel.h"
#include "reference_plan.h"

namespace millrace::graph_reference {

struct TriggerCounts {
  std::int64_t coalesced = 0;
  std::int64_t timed_out = 0;
  std::int64_t batch_flushed = 0;
  std::int64_t time_sync_dropped = 0;
  std::int64_t late = 0;
  std::int64_t condition_suppressed = 0;
  std::int64_t missed_timers = 0;
  std::int64_t isolated = 0;
  std::int64_t silences = 0;
};

/// What a trigger remembers between the moments at which it is asked.
struct TriggerState {
  std::optional<Duration> last_invocation = {};
  std::optional<Duration> highest_event_time = {};
  Duration last_message{};         ///< when it first saw its newest message
  std::uint64_t last_arrival = 0;  ///< of that message
  bool was_silent = false;         ///< since the last message
  Duration next_timer{};
  TriggerCounts counts = {};
};

/// The messages of one invocation; none for manual, timer and silence.
using Firing = std::vector<Message>;

/// The channels of each input of a trigger, in the order of its inputs.
using Ports = std::vector<std::vector<Channel*>>;

/// Asks a trigger with inputs which invocations are ready at `now`, and takes their messages from
/// the channels (G25, G72).
[[nodiscard]] std::vector<Firing> collect_firings(const PlannedTrigger& trigger,
                                                  TriggerState& state,
                                                  const Ports& ports,
                                                  Duration now);

/// Asks a timer at a boundary (G24).
[[nodiscard]] bool collect_timer(const PlannedTrigger& trigger,
                                 TriggerState& state,
                                 Duration boundary);

/// Gives the first time from `now` on at which the trigger would fire without further messages, by
/// trying each time that one of its rules names.
[[nodiscard]] std::optional<Duration> find_due_time(const PlannedTrigger& trigger,
                                                    const TriggerState& state,
                                                    const Ports& ports,
                                                    Duration now);

}  // namespace millrace::graph_reference
