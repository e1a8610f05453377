#include "scheduler/workload.h"

#include <cstddef>
#include <cstdint>
#include <memory>

#include "scheduler/body.h"
#include "scheduler/shape.h"

namespace millrace::bench {

Workload::Workload(const Shape& shape, std::uint64_t steps_per_unit, std::size_t slot_count)
    : shape_(shape), steps_per_unit_(steps_per_unit) {
  for (std::size_t slot = 0; slot < slot_count; ++slot) {
    slots_.push_back(std::make_unique<BodyTable>(shape));
  }
}

void Workload::begin_timed() {
  for (const auto& table : slots_) table->begin_timed();
}

void Workload::begin_verified() {
  for (const auto& table : slots_) table->begin_verified();
}

bool Workload::check(std::uint64_t run_count) const {
  std::uint64_t completed = 0;
  for (const auto& table : slots_) {
    const std::int64_t runs = table->completed_runs();
    if (runs < 0) return false;
    if (table->order_violations() != 0) return false;
    completed += static_cast<std::uint64_t>(runs);
  }
  return completed == run_count;
}

}  // namespace millrace::bench
