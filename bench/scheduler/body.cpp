#include "scheduler/body.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "scheduler/shape.h"

namespace millrace::bench {
namespace {

constexpr std::int64_t kVerifyBase = std::numeric_limits<std::int64_t>::min() / 2;
// In a verified run a node takes a few extra steps, whose number differs from node to node, so that
// a consumer that started too early meets a producer that has not ended.
constexpr std::uint64_t kLingerMask = 63;

// A processor runs ahead of a chain of dependent instructions by hundreds of them. Without this the
// end of one body overlaps the beginning of the next, by an amount that depends on whether the
// engine happens to execute something between them that forbids it (an atomic does), and the body
// would be up to a tenth shorter for some engines than for others.
void wait_for_earlier_instructions() {
#if defined(__x86_64__)
  asm volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace

BodyTable::BodyTable(const Shape& shape)
    : shape_(shape), cells_(shape.node_count()), ended_(shape.node_count(), 0) {
  for (Cell& cell : cells_) cell.table = this;
}

void BodyTable::begin_timed() {
  base_ = 0;
  for (Cell& cell : cells_) cell.stamp = 0;
  violations_.store(0, std::memory_order_relaxed);
}

void BodyTable::begin_verified() {
  base_ = kVerifyBase;
  for (Cell& cell : cells_) cell.stamp = kVerifyBase;
  std::ranges::fill(ended_, kVerifyBase);
  violations_.store(0, std::memory_order_relaxed);
}

std::int64_t BodyTable::completed_runs() const {
  const std::int64_t stamp = cells_.front().stamp;
  const bool same = std::ranges::all_of(cells_, [&](const Cell& c) { return c.stamp == stamp; });
  return same ? stamp - base_ : -1;
}

std::uint64_t BodyTable::order_violations() const {
  return violations_.load(std::memory_order_relaxed);
}

void BodyTable::enter_verified(const Cell& cell) {
  const auto node = static_cast<NodeIndex>(&cell - cells_.data());
  bool wrong = ended_[node] != cell.stamp - 1;
  for (const NodeIndex producer : shape_.producers[node]) {
    wrong = wrong || ended_[producer] != cell.stamp;
  }
  if (wrong) violations_.fetch_add(1, std::memory_order_relaxed);
  spin((std::uint64_t{node} * 37U) & kLingerMask);
}

void BodyTable::leave_verified(const Cell& cell) {
  ended_[static_cast<std::size_t>(&cell - cells_.data())] = cell.stamp;
}

void run_verified(Cell& cell) {
  cell.table->enter_verified(cell);
  cell.table->leave_verified(cell);
}

[[gnu::noinline, gnu::aligned(64)]] void spin(std::uint64_t steps) {
  std::uint64_t value = steps;
  for (; steps != 0; --steps) {
    value = value * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(value));
  }
  wait_for_earlier_instructions();
}

}  // namespace millrace::bench
