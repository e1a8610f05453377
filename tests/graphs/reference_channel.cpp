#include "reference_channel.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/check.h"
#include "graph/format/words.h"

namespace millrace::graph_reference {

using graph::ChannelMode;
using graph::EdgeOverflow;

bool Channel::refuses() const {
  const EdgeOverflow overflow = edge->policy.overflow;
  const bool can_refuse = overflow == EdgeOverflow::kReject || overflow == EdgeOverflow::kBlock ||
                          overflow == EdgeOverflow::kFailFast;
  const std::size_t held = visible.size() + arrived.size() + waiting_count;
  return can_refuse && held >= static_cast<std::size_t>(edge->policy.capacity);
}

void Channel::enter(Message message, std::uint64_t arrival, bool is_visible) {
  const bool keeps_previous = edge->policy.mode == ChannelMode::kPreviousTick;
  const std::size_t held = keeps_previous ? arrived.size() : visible.size() + arrived.size();
  if (held >= static_cast<std::size_t>(edge->policy.capacity)) {
    if (edge->policy.overflow == EdgeOverflow::kDropNewest) {
      ++counts.dropped;
      return;
    }
    if (keeps_previous) {
      arrived.clear();
      ++counts.overwritten;
    } else {
      evict_oldest();
    }
  }
  ++accepted_count;
  ++counts.published;
  message.id = edge->id + "#" + std::to_string(accepted_count);
  message.arrival = arrival;
  last_value = message.value;
  if (is_visible && !keeps_previous) {
    last_arrival = arrival;
    visible.push_back(std::move(message));
  } else {
    arrived.push_back(std::move(message));
  }
  complete_barrier();
}

void Channel::evict_oldest() {
  std::deque<Message>& oldest = visible.empty() ? arrived : visible;
  // A latched value that somebody read is replaced, not lost.
  if (!oldest.front().is_used) ++counts.overwritten;
  oldest.pop_front();
}

void Channel::show() {
  if (edge->policy.mode == ChannelMode::kPreviousTick && !arrived.empty() && !visible.empty()) {
    visible.clear();
    ++counts.overwritten;
  }
  for (Message& message : arrived) {
    last_arrival = std::max(last_arrival, message.arrival);
    visible.push_back(std::move(message));
  }
  arrived.clear();
  complete_barrier();
}

void Channel::complete_barrier() {
  if (visible.size() < static_cast<std::size_t>(edge->policy.capacity)) return;
  for (Message& message : visible) message.is_released = true;
}

bool Channel::may_deliver(const Message& message) const {
  return edge->policy.mode != ChannelMode::kBarrier || message.is_released;
}

Message Channel::take(std::uint64_t arrival, Duration now) {
  const auto found = std::ranges::find(visible, arrival, &Message::arrival);
  MR_CHECK(found != visible.end());
  const Message taken = *found;
  const Duration deadline = edge->policy.deadline;
  const bool is_late = deadline > Duration::zero() && now - taken.published > deadline;
  if (!taken.is_used) ++counts.delivered;
  if (!taken.is_used && is_late) ++counts.deadline_missed;
  if (edge->policy.mode == ChannelMode::kLatched) {
    found->is_used = true;
  } else {
    visible.erase(found);
  }
  return taken;
}

}  // namespace millrace::graph_reference
