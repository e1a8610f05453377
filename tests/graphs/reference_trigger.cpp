#include "reference_trigger.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "graph/format/words.h"

namespace millrace::graph_reference {
namespace {

using graph::ChannelMode;
using graph::Condition;
using graph::TriggerType;

/// A message that a trigger may take, and where it is.
struct Candidate {
  Channel* channel = nullptr;
  Message message = {};
  std::size_t port = 0;

  [[nodiscard]] bool is_fresh() const { return !message.is_used; }
};

class Collector {
 public:
  Collector(const PlannedTrigger& trigger, TriggerState& state, const Ports& ports, Duration now)
      : rule_(trigger.rule), type_(trigger.type), state_(state), ports_(ports), now_(now) {}

  std::vector<Firing> run() {
    note_arrivals();
    if (!keeps_old_) drop_old();
    const bool is_silent = rule_.max_silence > Duration::zero() && !state_.was_silent &&
                           now_ - state_.last_message >= rule_.max_silence;
    if (!is_held_back()) collect();
    if (!firings_.empty()) state_.last_invocation = now_;
    if (is_silent) {
      state_.was_silent = true;
      ++state_.counts.silences;
      firings_.emplace(firings_.begin());
    }
    return std::move(firings_);
  }

  /// Asks as if no message were too old: a rule that waits for a time is due then all the same.
  bool is_due() {
    keeps_old_ = true;
    return !run().empty();
  }

 private:
  void note_arrivals() {
    for (const auto& channels : ports_) {
      for (const Channel* channel : channels) {
        if (channel->last_arrival <= state_.last_arrival) continue;
        state_.last_arrival = channel->last_arrival;
        state_.last_message = now_;
        state_.was_silent = false;
      }
    }
  }

  /// Whether `min_interval` is not over; if there is one, it lets one invocation pass.
  bool is_held_back() {
    if (rule_.min_interval == Duration::zero()) return false;
    limit_ = 1;
    return state_.last_invocation && now_ < *state_.last_invocation + rule_.min_interval;
  }

  void collect() {
    switch (type_) {
      case TriggerType::kAllInputs:
        return by_type_all();
      case TriggerType::kTimeSync:
        return time_sync();
      case TriggerType::kBatch:
        return batch();
      case TriggerType::kWatermark:
        return watermark();
      case TriggerType::kDebounce:
        return debounce();
      case TriggerType::kCondition:
        if (rule_.condition == Condition::kAllInputsReady) return by_type_all();
        if (rule_.condition == Condition::kEventTimestampPresent) return with_event_time();
        return by_type_any();
      default:
        return by_type_any();
    }
  }

  void by_type_all() {
    if (rule_.coalesce) return coalesce(true);
    all_inputs();
  }
  void by_type_any() {
    if (rule_.coalesce) return coalesce(false);
    any_input();
  }

  [[nodiscard]] bool has_room() const { return firings_.size() < limit_; }

  /// What may be delivered on one port, in order of arrival.
  [[nodiscard]] std::vector<Candidate> on_port(std::size_t port) const {
    std::vector<Candidate> found;
    for (Channel* channel : ports_[port]) {
      for (const Message& message : channel->visible) {
        if (channel->may_deliver(message)) found.push_back({channel, message, port});
      }
    }
    std::ranges::sort(found, {}, [](const Candidate& one) { return one.message.arrival; });
    return found;
  }

  /// What may be delivered and was not before, in order of arrival across ports.
  [[nodiscard]] std::vector<Candidate> fresh() const {
    std::vector<Candidate> found;
    for (std::size_t port = 0; port < ports_.size(); ++port) {
      for (const Candidate& one : on_port(port)) {
        if (one.is_fresh()) found.push_back(one);
      }
    }
    std::ranges::sort(found, {}, [](const Candidate& one) { return one.message.arrival; });
    return found;
  }

  Message take(const Candidate& one) { return one.channel->take(one.message.arrival, now_); }

  static void drop(const Candidate& one, std::int64_t& count) {
    std::erase_if(one.channel->visible,
                  [&](const Message& message) { return message.arrival == one.message.arrival; });
    ++count;
  }

  void drop_old() {
    for (const auto& channels : ports_) {
      for (Channel* channel : channels) {
        const graph::ChannelSpec& policy = channel->edge->policy;
        const auto erase_older = [&](Duration age_max, bool takes_held, std::int64_t& count) {
          if (age_max == Duration::zero()) return;
          count += static_cast<std::int64_t>(
              std::erase_if(channel->visible, [&](const Message& message) {
                return (takes_held || channel->may_deliver(message)) &&
                       now_ - message.published > age_max;
              }));
        };
        erase_older(policy.lifespan, true, channel->counts.stale);
        // What a barrier holds back is not there yet, and a latched value is always there.
        if (policy.mode == ChannelMode::kLatched) continue;
        erase_older(rule_.max_latency, false, state_.counts.timed_out);
      }
    }
  }

  void any_input() {
    for (const Candidate& one : fresh()) {
      if (has_room()) firings_.push_back({take(one)});
    }
  }

  /// The first message of each port, or nothing if one has none, or all were used before.
  [[nodiscard]] std::vector<Candidate> fronts() const {
    std::vector<Candidate> found;
    for (std::size_t port = 0; port < ports_.size(); ++port) {
      const std::vector<Candidate> queue = on_port(port);
      if (queue.empty()) return {};
      found.push_back(queue.front());
    }
    return std::ranges::any_of(found, &Candidate::is_fresh) ? found : std::vector<Candidate>();
  }

  void take_all(const std::vector<Candidate>& ones) {
    Firing firing;
    for (const Candidate& one : ones) firing.push_back(take(one));
    firings_.push_back(std::move(firing));
  }

  void all_inputs() {
    while (has_room()) {
      const std::vector<Candidate> found = fronts();
      if (found.empty()) return;
      take_all(found);
    }
  }

  void time_sync() {
    while (has_room()) {
      const std::vector<Candidate> found = fronts();
      if (found.empty()) return;
      const bool have_times = std::ranges::all_of(
          found, [](const Candidate& one) { return one.message.event_time.has_value(); });
      const auto time = [](const Candidate& one) { return one.message.event_time; };
      const auto oldest = std::ranges::min_element(found, {}, time);
      const auto newest = std::ranges::max_element(found, {}, time);
      if (have_times && *newest->message.event_time - *oldest->message.event_time > rule_.slop) {
        drop(*oldest, state_.counts.time_sync_dropped);
        continue;
      }
      take_all(found);
    }
  }

  void batch() {
    const auto size = static_cast<std::size_t>(rule_.batch_size);
    std::vector<Candidate> open = fresh();
    while (has_room() && open.size() >= size) {
      take_all({open.begin(), open.begin() + rule_.batch_size});
      open.erase(open.begin(), open.begin() + rule_.batch_size);
    }
    if (!has_room() || open.empty() || rule_.batch_window == Duration::zero()) return;
    const Duration oldest = std::ranges::min(open, {}, [](const Candidate& one) {
                              return one.message.published;
                            }).message.published;
    if (now_ - oldest < rule_.batch_window) return;
    ++state_.counts.batch_flushed;
    take_all(open);
  }

  void watermark() {
    for (const Candidate& one : fresh()) {
      if (!has_room()) return;
      const std::optional<Duration> time = one.message.event_time;
      if (time) state_.highest_event_time = std::max(state_.highest_event_time, time);
      if (time && *state_.highest_event_time - *time > rule_.lateness) {
        drop(one, state_.counts.late);
      } else {
        firings_.push_back({take(one)});
      }
    }
  }

  void debounce() {
    const std::vector<Candidate> found = fresh();
    if (found.empty()) return;
    const Duration newest = std::ranges::max(found, {}, [](const Candidate& one) {
                              return one.message.published;
                            }).message.published;
    if (now_ - newest >= rule_.window) coalesce(false);
  }

  void with_event_time() {
    for (const Candidate& one : fresh()) {
      if (!has_room()) return;
      if (one.message.event_time) {
        firings_.push_back({take(one)});
      } else {
        drop(one, state_.counts.condition_suppressed);
      }
    }
  }

  /// One invocation with the newest of each input. `needs_all`: only if all inputs have one.
  void coalesce(bool needs_all) {
    std::vector<Candidate> newest;
    std::vector<Candidate> older;
    bool is_any_fresh = false;
    for (std::size_t port = 0; port < ports_.size(); ++port) {
      std::vector<Candidate> queue = on_port(port);
      if (queue.empty() && needs_all) return;
      if (queue.empty()) continue;
      const Candidate last = queue.back();
      is_any_fresh |= last.is_fresh();
      newest.push_back(last);
      queue.pop_back();
      older.insert(older.end(), queue.begin(), queue.end());
    }
    if (!is_any_fresh) return;
    for (const Candidate& one : older) drop(one, state_.counts.coalesced);
    take_all(newest);
  }

  const graph::TriggerSpec& rule_;
  TriggerType type_;
  TriggerState& state_;
  const Ports& ports_;
  Duration now_;
  std::size_t limit_ = SIZE_MAX;
  bool keeps_old_ = false;
  std::vector<Firing> firings_;
};

/// Asks a copy of the trigger and its channels, so that nothing is taken.
bool would_fire(const PlannedTrigger& trigger,
                TriggerState state,
                const Ports& ports,
                Duration at) {
  std::list<Channel> copies;
  Ports copied;
  for (const auto& channels : ports) {
    copied.emplace_back();
    for (const Channel* channel : channels) {
      copied.back().push_back(&copies.emplace_back(*channel));
    }
  }
  return Collector(trigger, state, copied, at).is_due();
}

}  // namespace

std::vector<Firing> collect_firings(const PlannedTrigger& trigger,
                                    TriggerState& state,
                                    const Ports& ports,
                                    Duration now) {
  return Collector(trigger, state, ports, now).run();
}

bool collect_timer(const PlannedTrigger& trigger, TriggerState& state, Duration boundary) {
  if (boundary < state.next_timer) return false;
  const auto passed = (boundary - state.next_timer) / trigger.timer_period;
  state.counts.missed_timers += passed;
  state.next_timer += (passed + 1) * trigger.timer_period;
  return true;
}

std::optional<Duration> find_due_time(const PlannedTrigger& trigger,
                                      const TriggerState& state,
                                      const Ports& ports,
                                      Duration now) {
  const graph::TriggerSpec& rule = trigger.rule;
  std::set<Duration> times;
  if (rule.min_interval > Duration::zero() && state.last_invocation) {
    times.insert(*state.last_invocation + rule.min_interval);
  }
  if (rule.max_silence > Duration::zero()) times.insert(state.last_message + rule.max_silence);
  for (const auto& channels : ports) {
    for (const Channel* channel : channels) {
      for (const Message& message : channel->visible) {
        if (trigger.type == TriggerType::kBatch && rule.batch_window > Duration::zero()) {
          times.insert(message.published + rule.batch_window);
        }
        if (trigger.type == TriggerType::kDebounce) times.insert(message.published + rule.window);
      }
    }
  }
  for (const Duration time : times) {
    const Duration at = std::max(time, now);
    if (would_fire(trigger, state, ports, at)) return at;
  }
  return std::nullopt;
}

}  // namespace millrace::graph_reference
