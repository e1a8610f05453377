#include "graph/run/trigger.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/compile/triggers.h"
#include "graph/format/words.h"
#include "graph/run/channel.h"
#include "graph/watch/graph_cells.h"

namespace millrace::graph {
namespace {

bool takes_each(const TriggerPlan& plan) {
  switch (plan.type) {
    case TriggerType::kAnyInput:
    case TriggerType::kOnEvent:
    case TriggerType::kRequest:
    case TriggerType::kTaskReady:
    case TriggerType::kFutureReady:
    case TriggerType::kRateLimit:
    case TriggerType::kWatermark:
      return true;
    case TriggerType::kCondition:
      return plan.rule.condition != Condition::kAllInputsReady;
    default:
      return false;
  }
}

bool is_given(Duration duration) { return duration != Duration::zero(); }

}  // namespace

Trigger::Trigger(std::uint32_t component,
                 const TriggerPlan& plan,
                 std::vector<TriggerInput> inputs,
                 TriggerCells& cells,
                 bool is_injected)
    : component_(component),
      plan_(plan),
      inputs_(std::move(inputs)),
      cells_(cells),
      is_injected_(is_injected),
      is_manual_(plan.is_manual() && !is_injected),
      has_timer_(plan.has_timer) {
  const TriggerSpec& rule = plan_.rule;
  has_time_rule_ = has_timer_ || is_given(rule.min_interval) || is_given(rule.max_silence) ||
                   plan_.type == TriggerType::kDebounce ||
                   (plan_.type == TriggerType::kBatch && is_given(rule.batch_window));
  has_age_rule_ = is_given(rule.max_latency);
  bool are_plain = true;
  for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
    for (std::size_t k = 0; k < inputs_[i].channels.size(); ++k) {
      Channel* channel = inputs_[i].channels[k];
      has_age_rule_ = has_age_rule_ || is_given(channel->lifespan());
      are_plain = are_plain && channel->is_plain();
      channel->set_place(inputs_[i].edges[k], inputs_[i].input);
      plain_.push_back({.channel = channel,
                        .edge = inputs_[i].edges[k],
                        .input = i,
                        .port = inputs_[i].input,
                        .kind = inputs_[i].kind});
    }
  }
  // Messages grow old without any new one: the trigger is asked in every epoch.
  has_time_rule_ = has_time_rule_ || has_age_rule_;
  const bool is_each = is_injected_ || takes_each(plan_);
  is_plain_ = is_each && !plain_.empty() && are_plain && !has_age_rule_ && !has_time_rule_ &&
              !rule.coalesce && plan_.type != TriggerType::kWatermark &&
              plan_.type != TriggerType::kCondition;
  if (plain_.size() == 1) only_ = plain_.data();
}

void Trigger::collect(TriggerTime time, InvocationList& list, TriggerNotes& notes, bool coalesce) {
  list_begin_ = list.size();
  if (is_plain_ && !coalesce) [[likely]] {
    for (std::size_t left = begin_taking(time.now); left > 0; --left) {
      take_next(list.add({.component = component_}));
    }
    return;
  }
  if (has_timer_) return collect_timer(time, list);
  if (is_manual_) {
    if (!is_finished_) static_cast<void>(start(list, EventKind::kManual));
    return;
  }
  note_arrivals(time.now);
  if (has_age_rule_) drop_old(time.now, notes);
  const TriggerSpec& rule = plan_.rule;
  if (is_given(rule.max_silence) && !is_silenced_ && time.now - last_message_ >= rule.max_silence) {
    is_silenced_ = notes.is_silent = true;
    cells_.silence_count.add();
    static_cast<void>(start(list, EventKind::kSilence));
  }
  takes_one_ = is_given(rule.min_interval);
  if (takes_one_ && last_invocation_ && time.now - *last_invocation_ < rule.min_interval) {
    if (any_new()) cells_.rate_limit_suppressed_count.add();
    return;
  }
  coalesces_ = coalesce || rule.coalesce;
  list_begin_ = list.size();
  collect_by_type(time.now, list, notes);
  if (list.size() > list_begin_) last_invocation_ = time.now;
}

std::size_t Trigger::begin_merging(Duration now) {
  merged_.clear();
  run_left_ = 0;
  std::size_t total = 0;
  for (std::uint32_t i = 0; i < plain_.size(); ++i) {
    const std::size_t count = plain_[i].channel->available();
    if (count == 0) continue;
    plain_[i].channel->note_taken(count, now);
    total += count;
    run_front_ = &plain_[i];
    run_left_ = count;
    merged_.push_back({.arrival = plain_[i].channel->peek().arrival,
                       .left = static_cast<std::uint32_t>(count),
                       .index = i});
  }
  if (merged_.size() > 1) run_left_ = 0;
  cells_.ready_count.add(total);
  return total;
}

void Trigger::find_run() {
  // No two messages of a domain have the same arrival.
  std::size_t first = 0;
  std::uint64_t limit = UINT64_MAX;  // of the others, the earliest
  for (std::size_t i = 1; i < merged_.size(); ++i) {
    if (merged_[i].arrival < merged_[first].arrival) {
      limit = merged_[first].arrival;
      first = i;
    } else {
      limit = std::min(limit, merged_[i].arrival);
    }
  }
  MergedFront& front = merged_[first];
  run_front_ = &plain_[front.index];
  run_left_ = 1;
  while (run_left_ < front.left && run_front_->channel->peek(run_left_).arrival < limit) {
    ++run_left_;
  }
  front.left -= static_cast<std::uint32_t>(run_left_);
  if (front.left > 0) {
    front.arrival = run_front_->channel->peek(run_left_).arrival;
  } else {
    front = merged_.back();
    merged_.pop_back();
  }
}

void Trigger::collect_timer(TriggerTime time, InvocationList& list) {
  if (is_finished_) return;
  const auto period = plan_.timer_period.count();
  const auto periods = static_cast<std::uint64_t>(time.boundary.count() / period);
  if (periods < timer_count_) return;
  cells_.missed_timer_count.add(periods - timer_count_);
  timer_count_ = periods + 1;
  static_cast<void>(start(list, EventKind::kTimer));
}

void Trigger::note_arrivals(Duration now) {
  std::uint64_t newest = 0;
  for (const TriggerInput& input : inputs_) {
    for (const Channel* channel : input.channels) {
      newest = std::max(newest, channel->last_arrival());
    }
  }
  if (newest <= arrival_seen_) return;
  arrival_seen_ = newest;
  last_message_ = now;
  is_silenced_ = false;
}

void Trigger::drop_old(Duration now, TriggerNotes& notes) {
  const Duration max_latency = plan_.rule.max_latency;
  for (const TriggerInput& input : inputs_) {
    for (std::size_t i = 0; i < input.channels.size(); ++i) {
      Channel& channel = *input.channels[i];
      const std::size_t stale = channel.drop_stale(now);
      for (std::size_t n = 0; n < stale; ++n) notes.stale_edges.push_back(input.edges[i]);
      while (is_given(max_latency) && channel.has_new() &&
             now - channel.peek().published_at > max_latency) {
        channel.drop_front();
        cells_.timeout_drop_count.add();
      }
    }
  }
}

void Trigger::collect_by_type(Duration now, InvocationList& list, TriggerNotes& notes) {
  if (plan_.type == TriggerType::kBatch) return collect_batches(now, list, notes);
  if (plan_.type == TriggerType::kDebounce) return collect_debounced(now, list, notes);
  if (coalesces_) return collect_newest(now, list, notes);
  if (needs_all()) return collect_sets(now, list, notes);
  collect_each(now, list, notes);
}

void Trigger::collect_each(Duration now, InvocationList& list, TriggerNotes& notes) {
  while (may_add(list)) {
    const Front front = earliest(true);
    if (front.channel == nullptr) return;
    if (!passes(front.channel->peek())) {
      front.channel->drop_front();
      continue;
    }
    take(front, start(list, inputs_[front.input].kind), now, notes);
  }
}

void Trigger::collect_sets(Duration now, InvocationList& list, TriggerNotes& notes) {
  while (may_add(list) && all_present() && any_new()) {
    if (plan_.type == TriggerType::kTimeSync && !align_fronts()) return;
    InvocationRecord& record = start(list, inputs_.front().kind);
    for (std::uint32_t i = 0; i < inputs_.size(); ++i) take(front_of(i), record, now, notes);
  }
}

void Trigger::collect_batches(Duration now, InvocationList& list, TriggerNotes& notes) {
  const std::size_t size = batch_size();
  const auto take_some = [&](std::size_t count) {
    InvocationRecord& record = start(list, EventKind::kMessage);
    for (std::size_t i = 0; i < count; ++i) take(earliest(true), record, now, notes);
  };
  while (may_add(list) && count_new() >= size) take_some(size);
  const std::size_t rest = count_new();
  if (rest == 0 || !is_given(plan_.rule.batch_window) || !may_add(list)) return;
  if (now - *oldest_time() < plan_.rule.batch_window) return;
  cells_.batch_flush_count.add();
  take_some(rest);
}

std::size_t Trigger::batch_size() const {
  return static_cast<std::size_t>(std::max<std::int64_t>(plan_.rule.batch_size, 1));
}

std::size_t Trigger::count_new() const {
  std::size_t count = 0;
  for (const TriggerInput& input : inputs_) {
    for (const Channel* channel : input.channels) {
      if (channel->has_new()) count += channel->available();
    }
  }
  return count;
}

void Trigger::collect_newest(Duration now, InvocationList& list, TriggerNotes& notes) {
  if (needs_all() ? !(all_present() && any_new()) : !any_new()) return;
  InvocationRecord* record = nullptr;
  for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
    InputMessage newest;
    Front newest_front;
    Front front = front_of(i);
    for (; front.channel != nullptr && front.channel->has_new(); front = front_of(i)) {
      if (!passes(front.channel->peek())) {
        front.channel->drop_front();
        continue;
      }
      if (newest_front.channel != nullptr) cells_.coalesced_count.add();
      newest_front = front;
      newest.is_used_again = front.channel->pull(newest.message, now);
    }
    if (newest_front.channel == nullptr && front.channel != nullptr) {
      newest_front = front;  // a latched value that was used before
      newest.is_used_again = front.channel->pull(newest.message, now);
    }
    if (newest_front.channel == nullptr) continue;
    if (record == nullptr) record = &start(list, inputs_[i].kind);
    newest.is_late = newest_front.channel->note_delivery(newest.message, newest.is_used_again, now);
    record->messages.push_back(std::move(newest));
    use_message(newest_front, *record, notes);
  }
}

void Trigger::collect_debounced(Duration now, InvocationList& list, TriggerNotes& notes) {
  const auto newest = newest_time();
  if (newest && now - *newest >= plan_.rule.window) collect_newest(now, list, notes);
}

bool Trigger::align_fronts() {
  while (all_present() && any_new()) {
    Front oldest;
    std::optional<Duration> low;
    std::optional<Duration> high;
    for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
      const Front front = front_of(i);
      if (front.channel->is_latched()) continue;
      const Message& message = front.channel->peek();
      if (!message.has_event_time) return true;
      if (!low || message.event_time < *low) {
        low = message.event_time;
        oldest = front;
      }
      if (!high || message.event_time > *high) high = message.event_time;
    }
    if (!low || *high - *low <= plan_.rule.slop) return true;
    oldest.channel->drop_front();
    cells_.time_sync_drop_count.add();
  }
  return false;
}

bool Trigger::passes(const Message& front) {
  if (plan_.type == TriggerType::kWatermark && front.has_event_time) {
    if (highest_event_time_ && front.event_time < *highest_event_time_ - plan_.rule.lateness) {
      cells_.late_drop_count.add();
      return false;
    }
    if (!highest_event_time_ || front.event_time > *highest_event_time_) {
      highest_event_time_ = front.event_time;
    }
  }
  const bool needs_event_time = plan_.type == TriggerType::kCondition &&
                                plan_.rule.condition == Condition::kEventTimestampPresent;
  if (!needs_event_time || front.has_event_time) return true;
  cells_.condition_suppressed_count.add();
  return false;
}

Trigger::Front Trigger::front_of(std::uint32_t input) const {
  Front front;
  const TriggerInput& port = inputs_[input];
  for (std::size_t i = 0; i < port.channels.size(); ++i) {
    Channel* channel = port.channels[i];
    if (channel->available() == 0) continue;
    // A latched value that was used before never hides a message behind it.
    const auto key = [](const Channel& one) {
      return std::pair(!one.has_new(), one.peek().arrival);
    };
    if (front.channel != nullptr && key(*front.channel) < key(*channel)) continue;
    front = {.channel = channel, .edge = port.edges[i], .input = input};
  }
  return front;
}

Trigger::Front Trigger::earliest(bool only_new) const {
  Front best;
  for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
    const TriggerInput& port = inputs_[i];
    for (std::size_t k = 0; k < port.channels.size(); ++k) {
      Channel* channel = port.channels[k];
      if (only_new ? !channel->has_new() : channel->available() == 0) continue;
      if (best.channel != nullptr && best.channel->peek().arrival < channel->peek().arrival) {
        continue;
      }
      best = {.channel = channel, .edge = port.edges[k], .input = i};
    }
  }
  return best;
}

bool Trigger::has_message(const TriggerInput& input) {
  return std::ranges::any_of(input.channels,
                             [](const Channel* channel) { return channel->available() > 0; });
}

bool Trigger::all_present() const { return std::ranges::all_of(inputs_, has_message); }

bool Trigger::any_new() const {
  return std::ranges::any_of(inputs_, [](const TriggerInput& input) {
    return std::ranges::any_of(input.channels,
                               [](const Channel* channel) { return channel->has_new(); });
  });
}

bool Trigger::needs_all() const {
  return plan_.type == TriggerType::kAllInputs || plan_.type == TriggerType::kTimeSync ||
         (plan_.type == TriggerType::kCondition &&
          plan_.rule.condition == Condition::kAllInputsReady);
}

InvocationRecord& Trigger::start(InvocationList& list, EventKind kind) {
  cells_.ready_count.add();
  return list.add({.component = component_, .kind = kind});
}

void Trigger::take(const Front& front,
                   InvocationRecord& record,
                   Duration now,
                   TriggerNotes& notes) {
  InputMessage& added = record.messages.emplace_back();
  added.is_used_again = front.channel->take(added.message, now, added.is_late);
  use_message(front, record, notes);
}

void Trigger::use_message(const Front& front, InvocationRecord& record, TriggerNotes& notes) {
  InputMessage& added = record.messages.back();
  added.edge = front.edge;
  added.input = inputs_[front.input].input;
  if (added.is_late) [[unlikely]]
    notes.late_edges.push_back(front.edge);
  if (added.is_used_again || added.message.arrival >= record.cause_arrival) return;
  record.cause_arrival = added.message.arrival;
  record.correlation = added.message.correlation;
  record.cause = {.edge = front.edge, .number = added.message.number};
}

std::optional<Duration> Trigger::newest_time() const {
  std::optional<Duration> newest;
  for (const TriggerInput& input : inputs_) {
    for (const Channel* channel : input.channels) {
      if (!channel->has_new()) continue;
      const Duration at = channel->peek(channel->available() - 1).published_at;
      if (!newest || at > *newest) newest = at;
    }
  }
  return newest;
}

std::optional<Duration> Trigger::oldest_time() const {
  std::optional<Duration> oldest;
  for (const TriggerInput& input : inputs_) {
    for (const Channel* channel : input.channels) {
      if (!channel->has_new()) continue;
      // What arrives first is not always what was published first.
      for (std::size_t i = 0; i < channel->available(); ++i) {
        const Duration at = channel->peek(i).published_at;
        if (!oldest || at < *oldest) oldest = at;
      }
    }
  }
  return oldest;
}

std::optional<Duration> Trigger::next_time() const {
  if (!has_time_rule_) return std::nullopt;
  if (has_timer_) {
    if (is_finished_) return std::nullopt;
    return plan_.timer_period * static_cast<std::int64_t>(timer_count_);
  }
  const TriggerSpec& rule = plan_.rule;
  std::optional<Duration> due;
  if (plan_.type == TriggerType::kDebounce) {
    if (const auto newest = newest_time()) due = *newest + rule.window;
  } else if (plan_.type == TriggerType::kBatch && count_new() < batch_size()) {
    const auto oldest = is_given(rule.batch_window) ? oldest_time() : std::nullopt;
    if (oldest) due = *oldest + rule.batch_window;
  } else if (is_given(rule.min_interval) && last_invocation_) {
    const bool is_ready = needs_all() ? all_present() && any_new() : any_new();
    if (is_ready) due = *last_invocation_;
  }
  if (due && is_given(rule.min_interval) && last_invocation_) {
    due = std::max(*due, *last_invocation_ + rule.min_interval);
  }
  if (is_given(rule.max_silence) && !is_silenced_) {
    const Duration silence = last_message_ + rule.max_silence;
    if (!due || silence < *due) due = silence;
  }
  return due;
}

std::string_view Trigger::waiting_rule() const {
  if (has_timer_) return "timer";
  if (plan_.type == TriggerType::kDebounce) return "debounce";
  if (plan_.type == TriggerType::kBatch && is_given(plan_.rule.batch_window)) return "batch_window";
  if (is_given(plan_.rule.min_interval) && any_new()) return "min_interval";
  return "max_silence";
}

std::size_t Trigger::discard_all() {
  std::size_t count = 0;
  for (const TriggerInput& input : inputs_) {
    for (Channel* channel : input.channels) {
      while (channel->has_new()) {
        channel->drop_front();
        ++count;
      }
    }
  }
  cells_.isolated_drop_count.add(count);
  return count;
}

}  // namespace millrace::graph
