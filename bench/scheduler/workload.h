#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "scheduler/body.h"
#include "scheduler/shape.h"

namespace millrace::bench {

/// What an engine is asked to run: a shape, the body of each node, and one table of cells for each
/// DAG that may be in flight at the same time ("slot").
/// Threading: not shared; bodies as `BodyTable` says.
/// Lifetime: borrows the shape; prepared DAGs borrow the workload.
class Workload {
 public:
  /// `steps_per_unit` is the length of `spin` for a node of cost 1; 0 means empty bodies.
  Workload(const Shape& shape, std::uint64_t steps_per_unit, std::size_t slot_count);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::size_t slot_count() const { return slots_.size(); }

  /// Calls `visitor` with the body of a node: a small copyable callable without parameters. An
  /// engine passes it to its scheduler as its users do.
  template <class Visitor>
  decltype(auto) visit_body(std::size_t slot, NodeIndex node, Visitor&& visitor) {
    Cell* cell = slots_[slot]->cell(node);
    if (steps_per_unit_ == 0) return visitor(EmptyBody{cell});
    return visitor(SpinBody{cell, steps_per_unit_ * shape_.cost[node]});
  }

  void begin_timed();
  void begin_verified();
  /// Says whether every node ran exactly once in each of `run_count` runs (over all slots together)
  /// since begin_*(), and in verified runs never before its producers.
  [[nodiscard]] bool check(std::uint64_t run_count) const;

 private:
  const Shape& shape_;
  std::uint64_t steps_per_unit_;
  // Held by pointers, because cells know the address of their table.
  std::vector<std::unique_ptr<BodyTable>> slots_;
};

}  // namespace millrace::bench
