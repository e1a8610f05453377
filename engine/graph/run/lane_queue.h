#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/format/spec.h"
#include "graph/format/words.h"

namespace millrace::graph {

/// An invocation that is ready for a pool, in order of enqueueing.
struct LaneItem {
  std::uint32_t component = 0;
  PriorityClass priority = PriorityClass::kNormal;
  bool is_reentrant = false;
};

/// What becomes of a batch. Numbers are positions in it.
struct LaneAdmission {
  std::size_t width = 0;                     ///< how many may run at once
  std::vector<std::uint32_t> dispatch = {};  ///< admitted, in the order in which they are started
  std::vector<std::uint32_t> rejected = {};  ///< in order of enqueueing
  std::uint64_t low_rejected = 0;            ///< of them: classes low and background
  std::uint64_t guard_turns = 0;             ///< starts out of turn while a higher class waited
  bool is_in_order = false;                  ///< `dispatch` is all positions, counted up
  bool has_failed = false;                   ///< `fail_fast`, and there were too many
};

/// Decides which invocations of a batch a pool takes and in which order it starts them: arithmetic
/// only. Remembers how many it has started, because the guard against starvation counts over all
/// batches.
/// Threading: not shared.
class LaneQueue {
 public:
  explicit LaneQueue(const LaneSpec& lane);

  [[nodiscard]] LaneAdmission admit(const std::vector<LaneItem>& items);
  [[nodiscard]] std::size_t thread_count() const { return thread_count_; }

 private:
  void reject_surplus(const std::vector<LaneItem>& items,
                      std::size_t room,
                      LaneAdmission& admission);
  void order(const std::vector<LaneItem>& items, LaneAdmission& admission);
  void order_one_class(std::size_t count, LaneAdmission& admission);

  const std::size_t thread_count_;
  const bool has_bound_;
  const std::size_t queue_capacity_;
  const LaneOverflow overflow_;
  const std::uint64_t guard_every_;
  std::uint64_t since_guard_ = 0;
};

}  // namespace millrace::graph
