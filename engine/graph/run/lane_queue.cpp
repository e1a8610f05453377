#include "graph/run/lane_queue.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "graph/format/spec.h"
#include "graph/format/words.h"

namespace millrace::graph {
namespace {

constexpr std::size_t kClassCount = 4;

std::size_t class_of(const LaneItem& item) { return static_cast<std::size_t>(item.priority); }

std::size_t width_of(const std::vector<LaneItem>& items, std::size_t thread_count) {
  std::set<std::uint32_t> serial;
  std::size_t width = 0;
  for (const LaneItem& item : items) {
    if (width >= thread_count) return thread_count;
    if (item.is_reentrant || serial.insert(item.component).second) ++width;
  }
  return std::min(width, thread_count);
}

}  // namespace

LaneQueue::LaneQueue(const LaneSpec& lane)
    : thread_count_(static_cast<std::size_t>(std::max<std::int64_t>(lane.max_threads, 1))),
      has_bound_(lane.queue_capacity.has_value()),
      queue_capacity_(static_cast<std::size_t>(lane.queue_capacity.value_or(0))),
      overflow_(lane.overflow),
      guard_every_(static_cast<std::uint64_t>(lane.starvation_guard_every)) {}

LaneAdmission LaneQueue::admit(const std::vector<LaneItem>& items) {
  LaneAdmission admission;
  admission.width = width_of(items, thread_count_);
  const std::size_t room = has_bound_ ? admission.width + queue_capacity_ : items.size();
  if (items.size() > room && overflow_ == LaneOverflow::kFailFast) {
    admission.has_failed = true;
    return admission;
  }
  reject_surplus(items, room, admission);
  order(items, admission);
  return admission;
}

void LaneQueue::reject_surplus(const std::vector<LaneItem>& items,
                               std::size_t room,
                               LaneAdmission& admission) {
  if (items.size() <= room) return;
  std::array<std::vector<std::uint32_t>, kClassCount> by_class;
  for (std::uint32_t i = 0; i < items.size(); ++i) by_class[class_of(items[i])].push_back(i);
  const bool takes_oldest =
      overflow_ == LaneOverflow::kOverwrite || overflow_ == LaneOverflow::kDropOldest;
  std::size_t surplus = items.size() - room;
  for (std::size_t c = kClassCount; c-- > 0 && surplus > 0;) {
    const std::size_t count = std::min(surplus, by_class[c].size());
    const auto first =
        takes_oldest ? by_class[c].begin() : by_class[c].end() - static_cast<std::ptrdiff_t>(count);
    admission.rejected.insert(
        admission.rejected.end(), first, first + static_cast<std::ptrdiff_t>(count));
    if (c >= static_cast<std::size_t>(PriorityClass::kLow)) admission.low_rejected += count;
    surplus -= count;
  }
  std::ranges::sort(admission.rejected);
}

void LaneQueue::order_one_class(std::size_t count, LaneAdmission& admission) {
  admission.is_in_order = true;
  admission.dispatch.resize(count);
  std::iota(admission.dispatch.begin(), admission.dispatch.end(), 0U);
  // The turns of the guard go to the same class.
  if (guard_every_ == 0) {
    since_guard_ += count;
  } else if (count > 0) {
    since_guard_ = (since_guard_ + count - 1) % guard_every_ + 1;
  }
}

void LaneQueue::order(const std::vector<LaneItem>& items, LaneAdmission& admission) {
  const bool is_one_class = std::ranges::all_of(
      items, [&](const LaneItem& item) { return item.priority == items.front().priority; });
  if (is_one_class && admission.rejected.empty()) {
    return order_one_class(items.size(), admission);
  }
  // Positions are unique, so the component id never has to decide.
  std::array<std::vector<std::uint32_t>, kClassCount> waiting;
  std::array<std::size_t, kClassCount> next{};
  std::size_t left = 0;
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    if (std::ranges::binary_search(admission.rejected, i)) continue;
    waiting[class_of(items[i])].push_back(i);
    ++left;
  }
  const auto has_more = [&](std::size_t c) { return next[c] < waiting[c].size(); };
  for (; left > 0; --left) {
    std::size_t highest = 0;
    while (!has_more(highest)) ++highest;
    std::size_t chosen = highest;
    if (guard_every_ > 0 && since_guard_ == guard_every_) {
      since_guard_ = 0;
      chosen = kClassCount - 1;
      while (!has_more(chosen)) --chosen;
      if (chosen != highest) ++admission.guard_turns;
    }
    ++since_guard_;
    admission.dispatch.push_back(waiting[chosen][next[chosen]++]);
  }
}

}  // namespace millrace::graph
