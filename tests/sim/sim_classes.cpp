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
    view.runs_wait[priority] = worker.has_waiting_run(priority);
    view.taken[priority] = worker.counters().queued[priority].load(std::memory_order_relaxed);
  }
  view.guard_count = worker.counters().starvation_guard.load(std::memory_order_relaxed);
  view.is_in_strand = worker.is_in_strand();
  return view;
}

void SimWorld::judge_classes(Driver& driver, const ClassView& before) {
  const ClassView after = view_of(driver);
  judge_turn(driver, before, after);
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

void SimWorld::judge_turn(Driver& driver, const ClassView& before, const ClassView& after) {
  // A strand goes on for one quantum of measured cost while something of its class or a higher one
  // waits, and then ends the body that it is in (D4, D10). Only bodies of known cost are charged as
  // what they are; the others count for less or more.
  const bool went_on = before.is_in_strand && after.is_in_strand && before.taken == after.taken;
  bool others_wait = false;
  if (went_on) {
    const auto own = static_cast<std::size_t>(driver.worker->strand_priority());
    for (std::size_t priority = 0; priority <= own; ++priority)
      others_wait |= before.runs_wait[priority];
  }
  if (!others_wait || !driver.outer.empty()) {
    driver.kept_waiting_ns = 0;
    return;
  }
  if (driver.state != DriverState::kAwake) return;  // the body has not ended yet
  driver.kept_waiting_ns += std::max<std::int64_t>(driver.worker->last_charge_ns(), 0);
  judge_.expect(driver.kept_waiting_ns <
                    2 * scenario_.config.strand_quantum.count() + driver.worker->last_charge_ns(),
                "D4",
                "A strand went on while others waited, ns",
                static_cast<std::uint64_t>(driver.kept_waiting_ns));
}

}  // namespace millrace::sim
