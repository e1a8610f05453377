#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/clock.h"
#include "graph/format/spec.h"

namespace millrace::graph_reference {

using base::Duration;

/// A ready invocation of a pool, in order of enqueueing.
struct PoolItem {
  std::size_t component = 0;
  bool is_reentrant = false;
  graph::PriorityClass priority = graph::PriorityClass::kNormal;
};

/// What the arithmetic of G62 and G38 makes of a batch.
struct PoolBatch {
  std::size_t width = 0;
  std::size_t admitted_count = 0;
  std::vector<std::size_t> rejected = {};  ///< items
  std::vector<std::size_t> order = {};     ///< items, in dispatch order
  std::int64_t guard_count = 0;
  bool has_overflowed = false;  ///< under `fail_fast`
};

/// Admits and orders. `dispatch_count` is that of the lane over the whole run.
[[nodiscard]] PoolBatch make_batch(const graph::LaneSpec& lane,
                                   const std::vector<PoolItem>& items,
                                   std::uint64_t& dispatch_count);

/// Runs one item at a time and gives how long it took.
using RunItem = std::function<Duration(std::size_t item, Duration begin)>;

/// Plays a batch on `max_threads` workers in virtual time (G59); gives the end of the last.
[[nodiscard]] Duration play_batch(const graph::LaneSpec& lane,
                                  const std::vector<PoolItem>& items,
                                  std::vector<std::size_t> order,
                                  Duration begin,
                                  const RunItem& run);

}  // namespace millrace::graph_reference
