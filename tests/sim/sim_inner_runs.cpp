#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/result.h"
#include "ledger.h"
#include "runtime/run.h"
#include "scenario.h"
#include "sim_world.h"

// Bodies that execute a run and wait for it: first half of the body runs, then its worker is free
// until the run is over, then the second half runs. Asynchronous bodies and bodies on the loop
// submit their runs instead.

namespace millrace::sim {

using runtime::Run;
using runtime::RunOutcome;

std::uint32_t SimWorld::index_of(const RunLedger& ledger) const {
  return static_cast<std::uint32_t>(&ledger.plan() - scenario_.runs.data());
}

std::optional<std::uint32_t> SimWorld::find_inner_run(const RunLedger& outer,
                                                      std::uint32_t node) const {
  if (!scenario_.has_inner_runs) return std::nullopt;
  const std::uint32_t outer_index = index_of(outer);
  for (std::uint32_t run = outer_index + 1; run < scenario_.runs.size(); ++run) {
    const std::optional<OuterBody>& inside = scenario_.runs[run].inside;
    if (inside && inside->run == outer_index && inside->node == node) return run;
  }
  return std::nullopt;
}

void SimWorld::begin_inner_run(Driver& driver) {
  MR_CHECK(driver.inner_run.has_value());
  const std::uint32_t inner = *driver.inner_run;
  driver.inner_run.reset();
  RunLedger& ledger = *ledgers_[inner];
  Flow& dag = *dags_[ledger.plan().dag];
  log(inner);
  ledger.submitted(moment());
  ledger.inner_run = std::make_unique<Run>(*dag.topology, dag.costs);
  ledger.run = ledger.inner_run.get();
  const std::shared_ptr<void> context(&ledger, [](void*) {});
  driver.outer.push_back(
      {driver.run,
       driver.node,
       inner,
       pool_->begin_inside(
           *driver.worker, *ledger.inner_run, context, options_of(inner), observer_of(ledger))});
  judge_.expect(pool_->worker_count() == 1 || driver.outer.back().strand.stack_top == 0,
                "D6",
                "A body that waits for a run holds ready nodes back",
                driver.outer.back().strand.stack_top);
  open_inner_runs_.push_back(inner);
  plan_cancellation(inner);
  driver.state = DriverState::kAwake;
  driver.since = clock_.now();
  driver.until.reset();
  driver.was_woken = false;
}

bool SimWorld::may_come_back(const Driver& driver) const {
  // Only between two strands, as for a real thread.
  return !driver.outer.empty() && !driver.worker->is_in_strand() &&
         ledgers_[driver.outer.back().inner_run]->inner_run->is_done();
}

void SimWorld::come_back(Driver& driver) {
  OuterFrame frame = std::move(driver.outer.back());
  driver.outer.pop_back();
  RunLedger& inner = *ledgers_[frame.inner_run];
  const base::Status status = pool_->end_inside(
      *driver.worker, std::move(frame.strand), *inner.inner_run, driver.was_woken);
  judge_.expect(status.has_value() == (inner.outcome() == RunOutcome::kOk),
                "C4",
                "A body got another status than its run answered, run",
                frame.inner_run);
  driver.run = frame.run;
  driver.node = frame.node;
  driver.state = DriverState::kInBody;
  driver.since = clock_.now();
  driver.until = clock_.now() + driver.run->cost(driver.node) / 2;
}

void SimWorld::note_inner_answers() {
  // Nothing is notified when such a run answers: the waiter finds out by itself.
  std::erase_if(open_inner_runs_, [this](std::uint32_t run) {
    RunLedger& ledger = *ledgers_[run];
    if (ledger.inner_run->outcome() == RunOutcome::kOpen) return false;
    answered(*ledger.inner_run, ledger);
    return true;
  });
}

bool SimWorld::is_decided(std::uint32_t run) const {
  // If the outer run fails, timing decides which of its other bodies run, and so whether the runs
  // inside them exist.
  for (auto inside = scenario_.runs[run].inside; inside;
       inside = scenario_.runs[inside->run].inside) {
    const RunLedger& outer = *ledgers_[inside->run];
    if (outer.outcome() != RunOutcome::kOk || !outer.plan().failing.empty()) return false;
  }
  return true;
}

}  // namespace millrace::sim
