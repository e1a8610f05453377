#pragma once

#include <cstdint>

#include "scheduler/shape.h"

namespace millrace::bench {

/// Gives a makespan, in cost units, that no schedule on `workers` workers can beat:
/// max(critical path, ceil(total cost / workers)).
[[nodiscard]] std::uint64_t ideal_makespan(const Shape& shape, unsigned workers);

/// Gives the makespan of a greedy schedule that always starts the ready node with the longest path
/// to a sink. Never better than `ideal_makespan`; where both agree the ideal is exact.
[[nodiscard]] std::uint64_t list_schedule_makespan(const Shape& shape, unsigned workers);

/// Gives the cost of the costliest path from a source to a sink.
[[nodiscard]] std::uint64_t critical_path(const Shape& shape);

/// Gives the cost of all nodes together.
[[nodiscard]] std::uint64_t total_cost(const Shape& shape);

}  // namespace millrace::bench
