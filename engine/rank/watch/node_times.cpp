#include "rank/watch/node_times.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace millrace::rank {

void NodeTimes::open(std::size_t node_count, base::TimePoint now) {
  if (places_ == nullptr) places_ = std::make_unique<Place[]>(node_count);
  node_count_ = node_count;
  for (std::size_t node = 0; node < node_count; ++node) {
    places_[node].start.store(kNever, std::memory_order_relaxed);
    places_[node].end.store(kNever, std::memory_order_relaxed);
    places_[node].rows.store(kNever, std::memory_order_relaxed);
  }
  begin_ = now;
  is_open_ = true;
}

void NodeTimes::append_samples(const plan::CompiledPlan& plan,
                               const runtime::Topology& topology,
                               std::vector<NodeSample>& samples) const {
  // By node: when its last input was there; kNever if that is not known.
  std::vector<std::int64_t> ready(node_count_, begin_.time_since_epoch().count());
  for (std::uint32_t node = 0; node < node_count_; ++node) {
    // A node that stands in for another waits for that one to fail, too.
    if (topology.is_lazy(node)) ready[node] = kNever;
  }
  for (const std::uint32_t index : topology.topological_order()) {
    const Place& place = places_[index];
    const std::int64_t end = place.end.load(std::memory_order_relaxed);
    for (const runtime::Edge& edge : topology.dependents(index)) {
      std::int64_t& target = ready[edge.target];
      target = end == kNever || target == kNever ? kNever : std::max(target, end);
    }
    const std::int64_t start = place.start.load(std::memory_order_relaxed);
    if (start == kNever || end == kNever) continue;
    NodeSample& sample = samples.emplace_back();
    sample.node = plan.nodes[index].id;
    sample.duration = base::Duration(end - start);
    if (ready[index] != kNever)
      sample.queue_delay = base::Duration(std::max<std::int64_t>(start - ready[index], 0));
    const std::int64_t rows = place.rows.load(std::memory_order_relaxed);
    if (rows != kNever) sample.rows = static_cast<std::uint64_t>(rows);
  }
}

}  // namespace millrace::rank
