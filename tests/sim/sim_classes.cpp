#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "runtime/topology/node.h"
#include "runtime/worker.h"
#include "sim_world.h"

// Which class a worker serves: the highest that has something for it, except that every
// `starvation_guard_every` dispatches the lowest has its turn (P4).

namespace millrace::sim {

using runtime::kPriorityCount;

SimWorld::ClassView SimWorld::view_of(const Driver& driver) const {
  const runtime::Worker& worker = *driver.worker;
  ClassView view;
  for (std::size_t priority = 0; priority < kPriorityCount; ++priority) {
    view.ready[priority] = worker.has_ready(priority);
    view.taken[priority] = worker.counters().queued[priority].load(std::memory_order_relaxed);
  }
  view.guard_count = worker.counters().starvation_guard.load(std::memory_order_relaxed);
  view.is_in_strand = worker.is_in_strand();
  return view;
}

void SimWorld::judge_classes(Driver& driver, const ClassView& before) {
  const ClassView after = view_of(driver);
  const std::uint64_t taken = std::accumulate(after.taken.begin(), after.taken.end(), 0ULL) -
                              std::accumulate(before.taken.begin(), before.taken.end(), 0ULL);
  const auto first = std::find(before.ready.begin(), before.ready.end(), true);
  // If nothing was ready, no class was passed over. If one turn dispatched several times, it is
  // unknown what was ready at each of them.
  if (first == before.ready.end() || taken > 1) driver.passed_over = 0;
  if (first == before.ready.end() || taken != 1) return;
  const auto highest = static_cast<std::size_t>(first - before.ready.begin());
  std::size_t lowest = kPriorityCount - 1;
  while (!before.ready[lowest]) --lowest;
  std::size_t served = 0;
  while (after.taken[served] == before.taken[served]) ++served;
  // A strand may have made a node of a lower class ready before its end.
  driver.passed_over = served >= lowest ? 0 : driver.passed_over + 1;
  judge_.expect(driver.passed_over <= scenario_.config.starvation_guard_every,
                "P4",
                "The lowest class was passed over too often",
                driver.passed_over);
  // Within a strand a worker may continue with its own run.
  if (before.is_in_strand) return;
  judge_.expect(served == highest || served == lowest,
                "P3",
                "A class was served before a higher one, class",
                served);
  const std::uint64_t guarded = after.guard_count - before.guard_count;
  judge_.expect(guarded == (served == highest ? 0U : 1U),
                "P4",
                "Turns of the lowest class and starvation_guard_count differ",
                guarded);
}

}  // namespace millrace::sim
