#include "reference_pool.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "graph/format/words.h"

namespace millrace::graph_reference {
namespace {

using graph::LaneOverflow;
using graph::PriorityClass;

std::size_t width_of(const graph::LaneSpec& lane, const std::vector<PoolItem>& items) {
  std::map<std::size_t, std::size_t> by_component;
  for (const PoolItem& item : items) {
    std::size_t& count = by_component[item.component];
    count = item.is_reentrant ? count + 1 : 1;
  }
  std::size_t sum = 0;
  for (const auto& [component, count] : by_component) sum += count;
  return std::min(sum, static_cast<std::size_t>(std::max<std::int64_t>(lane.max_threads, 1)));
}

/// The oldest or newest item of the lowest class, as a position in `open`.
std::size_t pick_lowest(const std::vector<PoolItem>& items,
                        const std::vector<std::size_t>& open,
                        bool is_oldest) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < open.size(); ++i) {
    const PriorityClass priority = items[open[i]].priority;
    const PriorityClass best_priority = items[open[best]].priority;
    if (priority > best_priority || (priority == best_priority && !is_oldest)) best = i;
  }
  return best;
}

/// The oldest item of the highest class.
std::size_t pick_highest(const std::vector<PoolItem>& items, const std::vector<std::size_t>& open) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < open.size(); ++i) {
    if (items[open[i]].priority < items[open[best]].priority) best = i;
  }
  return best;
}

void erase_at(std::vector<std::size_t>& list, std::size_t position) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(position));
}

}  // namespace

PoolBatch make_batch(const graph::LaneSpec& lane,
                     const std::vector<PoolItem>& items,
                     std::uint64_t& dispatch_count) {
  PoolBatch batch{.width = width_of(lane, items)};
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < items.size(); ++i) open.push_back(i);
  if (lane.queue_capacity) {
    const std::size_t room = batch.width + static_cast<std::size_t>(*lane.queue_capacity);
    const bool takes_oldest =
        lane.overflow == LaneOverflow::kOverwrite || lane.overflow == LaneOverflow::kDropOldest;
    batch.has_overflowed = open.size() > room && lane.overflow == LaneOverflow::kFailFast;
    while (open.size() > room) {
      const std::size_t victim = pick_lowest(items, open, takes_oldest);
      batch.rejected.push_back(open[victim]);
      erase_at(open, victim);
    }
  }
  batch.admitted_count = open.size();
  const auto guard_every = static_cast<std::uint64_t>(lane.starvation_guard_every);
  while (!open.empty()) {
    std::size_t next = pick_highest(items, open);
    if (guard_every > 0 && dispatch_count > 0 && dispatch_count % guard_every == 0) {
      const PriorityClass highest = items[open[next]].priority;
      next = pick_lowest(items, open, true);
      if (items[open[next]].priority > highest) ++batch.guard_count;
    }
    ++dispatch_count;
    batch.order.push_back(open[next]);
    erase_at(open, next);
  }
  return batch;
}

Duration play_batch(const graph::LaneSpec& lane,
                    const std::vector<PoolItem>& items,
                    std::vector<std::size_t> order,
                    Duration begin,
                    const RunItem& run) {
  struct Running {
    std::size_t component;
    Duration end;
  };
  const auto workers = static_cast<std::size_t>(std::max<std::int64_t>(lane.max_threads, 1));
  std::vector<Running> running;
  Duration now = begin;
  while (true) {
    std::erase_if(running, [&](const Running& one) { return one.end <= now; });
    const auto is_free = [&](std::size_t item) {
      return items[item].is_reentrant ||
             std::ranges::find(running, items[item].component, &Running::component) ==
                 running.end();
    };
    const auto next = std::ranges::find_if(order, is_free);
    if (running.size() < workers && next != order.end()) {
      const std::size_t item = *next;
      order.erase(next);
      running.push_back({items[item].component, now + run(item, now)});
      continue;
    }
    if (running.empty()) return now;
    now = std::ranges::min(running, {}, &Running::end).end;
  }
}

}  // namespace millrace::graph_reference
