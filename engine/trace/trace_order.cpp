#include "trace/trace_order.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "trace/trace.h"
#include "trace/trace_record.h"

namespace millrace::trace {
namespace {

int place_at_equal_time(TraceKind kind) {
  if (kind == TraceKind::kRunStart) return 0;
  return kind == TraceKind::kRunEnd ? 2 : 1;
}

bool is_before(const TraceRecord& left, const TraceRecord& right) {
  return std::tuple(left.time_ns, place_at_equal_time(left.kind)) <
         std::tuple(right.time_ns, place_at_equal_time(right.kind));
}

/// Sorts stably, which keeps each thread's own order among equal times.
void sort_by_time(std::vector<TraceRecord>& records) {
  std::vector<std::size_t> order(records.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&records](std::size_t left, std::size_t right) {
    if (is_before(records[left], records[right])) return true;
    return !is_before(records[right], records[left]) && left < right;
  });
  std::vector<TraceRecord> sorted;
  sorted.reserve(records.size());
  for (const std::size_t index : order) sorted.push_back(records[index]);
  records.swap(sorted);
}

bool closes_node(const TraceRecord& record) {
  return record.kind == TraceKind::kNodeEnd || record.kind == TraceKind::kNodeError;
}

/// Moves every end that precedes its own start behind that start. Needed when another thread ended
/// a node at exactly the time of its start.
void put_starts_first(std::span<TraceRecord> group) {
  std::unordered_map<SpanId, std::size_t> start_of;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (group[i].kind == TraceKind::kNodeStart) start_of.emplace(group[i].span_id, i);
  }
  std::unordered_map<SpanId, std::vector<TraceRecord>> held;
  std::vector<TraceRecord> ordered;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const auto start = start_of.find(group[i].span_id);
    if (closes_node(group[i]) && start != start_of.end() && i < start->second) {
      held[group[i].span_id].push_back(group[i]);
      continue;
    }
    ordered.push_back(group[i]);
    if (group[i].kind != TraceKind::kNodeStart) continue;
    if (const auto late = held.find(group[i].span_id); late != held.end()) {
      ordered.insert(ordered.end(), late->second.begin(), late->second.end());
      held.erase(late);
    }
  }
  std::ranges::copy(ordered, group.begin());
}

}  // namespace

void order_run(std::vector<TraceRecord>& records) {
  sort_by_time(records);
  for (std::size_t begin = 0; begin < records.size();) {
    std::size_t end = begin + 1;
    bool has_several_tracks = false;
    while (end < records.size() && !is_before(records[begin], records[end])) {
      has_several_tracks |= records[end].track != records[begin].track;
      ++end;
    }
    if (has_several_tracks) put_starts_first(std::span(records).subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace millrace::trace
