#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "plan/compiled_plan.h"
#include "runtime/topology/topology.h"

namespace millrace::rank {

/// How one node of a timed request went.
/// Lifetime: borrows the id from the plan.
struct NodeSample {
  std::string_view node;
  base::Duration duration{};
  /// From the end of its last input to its start; nothing if the end of an input is not known.
  std::optional<base::Duration> queue_delay = {};
  std::optional<std::uint64_t> rows = {};  ///< nothing if it gave none in time
};

/// When the nodes of one request started and ended. Most requests are not timed.
///
/// It reads clocks around the bodies only, so that a timed request is scheduled as any other.
/// Threading: `open`, `close` and `append_samples` as the request; the rest by the thread that runs
/// the node, which may still run when samples are taken.
class NodeTimes {
 public:
  /// Times the request that begins now.
  void open(std::size_t node_count, base::TimePoint now);
  void close() { is_open_ = false; }
  [[nodiscard]] bool is_open() const { return is_open_; }

  void start(std::uint32_t node, base::TimePoint now) { set(places_[node].start, now); }
  void end(std::uint32_t node, base::TimePoint now) { set(places_[node].end, now); }
  void set_rows(std::uint32_t node, std::size_t count) {
    places_[node].rows.store(static_cast<std::int64_t>(count), std::memory_order_relaxed);
  }

  /// Appends the nodes that have ended, in topological order.
  void append_samples(const plan::CompiledPlan& plan,
                      const runtime::Topology& topology,
                      std::vector<NodeSample>& samples) const;

 private:
  static constexpr std::int64_t kNever = INT64_MIN;
  // Written by the thread that runs the node; a body that comes too late writes after the answer.
  // Publish nothing but themselves.
  struct Place {
    std::atomic<std::int64_t> start{kNever};
    std::atomic<std::int64_t> end{kNever};
    std::atomic<std::int64_t> rows{kNever};
  };

  static void set(std::atomic<std::int64_t>& place, base::TimePoint now) {
    place.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  }

  bool is_open_ = false;
  std::size_t node_count_ = 0;
  base::TimePoint begin_{};
  std::unique_ptr<Place[]> places_;  // made when a request is timed for the first time
};

}  // namespace millrace::rank
