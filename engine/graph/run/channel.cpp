#include "graph/run/channel.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "graph/body/body_types.h"
#include "graph/body/message.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"
#include "graph/watch/graph_cells.h"

namespace millrace::graph {
namespace {

constexpr std::size_t kRingMin = 4;

/// Whether each message is put in, taken once and gone.
bool is_simple(ChannelMode mode) {
  return mode == ChannelMode::kQueue || mode == ChannelMode::kLatest;
}

/// Whether two values are the same JSON: unlike `==`, 0 and 0.0 are the same number.
bool is_same_json(const Payload& left, const Payload& right) {
  if (left.is_number() && right.is_number()) {
    const bool are_integers = left.find_int() && right.find_int();
    return are_integers ? left.find_int() == right.find_int()
                        : left.find_number() == right.find_number();
  }
  if (left.kind() != right.kind()) return false;
  if (left.kind() == PayloadKind::kArray) {
    return std::ranges::equal(left.items(), right.items(), is_same_json);
  }
  if (left.kind() == PayloadKind::kObject) {
    return std::ranges::equal(
        left.members(), right.members(), [](const PayloadMember& a, const PayloadMember& b) {
          return a.name == b.name && is_same_json(a.value, b.value);
        });
  }
  return left == right;
}

}  // namespace

Channel::Channel(const ChannelSpec& policy, bool is_deferred, ChannelCells& cells)
    : mode_(policy.mode == ChannelMode::kRingBuffer ? ChannelMode::kQueue : policy.mode),
      overflow_(policy.overflow),
      is_deferred_(is_deferred),
      is_multi_(policy.readers == Readers::kMulti),
      capacity_(static_cast<std::size_t>(std::max<std::int64_t>(policy.capacity, 1))),
      max_inflight_(static_cast<std::size_t>(policy.max_inflight)),
      lifespan_(policy.lifespan),
      deadline_(policy.deadline),
      is_plain_(is_simple(mode_) && !is_multi_ && deadline_ == Duration::zero()),
      extends_(is_simple(mode_) && !is_multi_ && !is_deferred_),
      cells_(cells) {}

bool Channel::refuses_slowly() const { return room() == 0; }

std::size_t Channel::room() const {
  const auto left_of = [](std::size_t all, std::size_t taken) {
    return all > taken ? all - taken : std::size_t{0};
  };
  const std::size_t in_flight =
      max_inflight_ == 0 ? SIZE_MAX : left_of(max_inflight_, arriving_ + expected_);
  if (overflow_ < EdgeOverflow::kReject) return in_flight;
  // An immediate edge, which has no limit in flight.
  if (mode_ == ChannelMode::kPreviousTick) return pending_ ? 0 : 1;
  // What the trigger took and only slow readers want makes room.
  return std::min(in_flight, left_of(capacity_, size_ - taken_ + expected_));
}

PushOutcome Channel::push(Message&& message, std::uint64_t arrival) {
  if (is_deferred_) {
    MR_DCHECK(expected_ > 0);
    --expected_;
  }
  if (watches_changes_) note_change(message.value);
  if (mode_ == ChannelMode::kPreviousTick) return push_pending(std::move(message));
  PushOutcome outcome;
  if (size_ == capacity_) [[unlikely]] {
    if (overflow_ == EdgeOverflow::kDropNewest && taken_ == 0) {
      cells_.drop_count.add();
      return {.is_accepted = false};
    }
    evict_front(outcome);
  }
  message.number = ++last_number_;
  if (is_deferred_) {
    ++arriving_;
  } else {
    message.arrival = arrival;
    last_arrival_ = arrival;
    is_new_ = true;
  }
  append(std::move(message));
  cells_.publish_count.add();
  if (size_ > max_depth_) [[unlikely]] {
    max_depth_ = size_;
    cells_.max_depth.set(static_cast<double>(size_));
    outcome.is_full_first_time = size_ == capacity_ && mode_ == ChannelMode::kQueue;
  }
  if (mode_ == ChannelMode::kBarrier && size_ - arriving_ >= capacity_) {
    released_ = size_ - arriving_;
  }
  return outcome;
}

PushOutcome Channel::push_pending(Message&& message) {
  PushOutcome outcome;
  if (pending_) {
    cells_.overwrite_count.add();
    outcome.has_evicted = true;
  }
  message.number = ++last_number_;
  pending_ = std::move(message);
  cells_.publish_count.add();
  return outcome;
}

std::size_t Channel::show(std::uint64_t number, std::uint64_t& arrival) {
  std::size_t count = 0;
  if (mode_ == ChannelMode::kPreviousTick) {
    if (!pending_) return 0;
    PushOutcome outcome;
    if (size_ > 0) evict_front(outcome);
    pending_->arrival = last_arrival_ = ++arrival;
    append(*std::move(pending_));
    pending_.reset();
    if (max_depth_ == 0) cells_.max_depth.set(static_cast<double>(max_depth_ = 1));
    return 1;
  }
  while (arriving_ > 0 && at(size_ - arriving_).number <= number) {
    at(size_ - arriving_).arrival = last_arrival_ = ++arrival;
    --arriving_;
    ++count;
    is_new_ = true;
  }
  if (mode_ == ChannelMode::kBarrier && size_ - arriving_ >= capacity_) {
    released_ = size_ - arriving_;
  }
  return count;
}

void Channel::drop_staged() {
  for (; staged_ > 0; --staged_) at(size_ + staged_ - 1).value.clear();
}

bool Channel::take(Message& out, Duration now, bool& is_late) {
  const bool was_taken = pull(out, now);
  is_late = note_delivery(out, was_taken, now);
  return was_taken;
}

bool Channel::note_delivery(const Message& message, bool was_taken, Duration now) {
  const bool is_late = deadline_ != Duration::zero() && now - message.published_at > deadline_;
  if (was_taken) return is_late;
  if (is_late) cells_.deadline_miss_count.add();
  cells_.delivery_count.add();
  return is_late;
}

bool Channel::pull(Message& out, Duration now) {
  const Message& front = at(taken_);
  const bool was_taken = mode_ == ChannelMode::kLatched && !is_new_;
  last_take_ = now;
  if (mode_ == ChannelMode::kLatched) {
    out = front;
    is_new_ = false;
    return was_taken;
  }
  if (is_multi_) {
    out = front;
    ++taken_;
    return false;
  }
  out = std::move(at(0));
  remove_front();
  return false;
}

void Channel::drop_front() {
  if (mode_ == ChannelMode::kLatched) {
    is_new_ = false;
  } else if (is_multi_) {
    ++taken_;
  } else {
    at(0).value = Payload();
    remove_front();
  }
}

std::size_t Channel::drop_stale(Duration now) {
  if (lifespan_ == Duration::zero()) return 0;
  std::size_t count = 0;
  while (size_ - arriving_ > taken_ && now - at(taken_).published_at > lifespan_) {
    if (mode_ == ChannelMode::kLatched) {
      remove_front();
      is_new_ = false;
    } else {
      drop_front();
    }
    last_take_ = now;
    ++count;
  }
  cells_.stale_drop_count.add(count);
  return count;
}

std::vector<Message> Channel::read(std::string_view reader) {
  auto cursor = readers_.find(reader);
  if (cursor == readers_.end()) cursor = readers_.emplace(reader, 0).first;
  std::vector<Message> found;
  for (std::size_t i = 0; i < size_ - arriving_; ++i) {
    if (at(i).number <= cursor->second) continue;
    cursor->second = at(i).number;
    found.push_back(at(i));
  }
  return found;
}

bool Channel::take_change() { return std::exchange(has_changed_, false); }

void Channel::note_change(const Payload& value) {
  if (last_value_ && is_same_json(*last_value_, value)) return;
  last_value_ = value;
  has_changed_ = true;
}

void Channel::grow() {
  std::vector<InputMessage> larger(std::max(kRingMin, std::bit_ceil(size_ + 1)),
                                   {.edge = edge_, .input = input_});
  for (std::size_t i = 0; i < size_; ++i) larger[i].message = std::move(at(i));
  ring_ = std::move(larger);
  mask_ = ring_.size() - 1;
  head_ = 0;
}

void Channel::append(Message&& message) {
  if (size_ == ring_.size()) [[unlikely]]
    grow();
  at(size_) = std::move(message);
  ++size_;
}

void Channel::remove_front() {
  head_ = (head_ + 1) & mask_;
  --size_;
  if (taken_ > 0) --taken_;
  if (released_ > 0) --released_;
}

void Channel::evict_front(PushOutcome& outcome) {
  const bool is_visible = arriving_ < size_;
  const bool was_read = taken_ > 0 || (mode_ == ChannelMode::kLatched && is_visible && !is_new_);
  if (!was_read) {
    cells_.overwrite_count.add();
    outcome.has_evicted = true;
  }
  if (arriving_ == size_) --arriving_;
  at(0).value = Payload();
  remove_front();
}

}  // namespace millrace::graph
