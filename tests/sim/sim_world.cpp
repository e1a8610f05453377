#include "sim_world.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "base/sync/parking.h"
#include "ledger.h"
#include "runtime/admission.h"
#include "runtime/worker.h"
#include "runtime/worker_pool.h"

namespace millrace::sim {
namespace {

// Far more turns than any seed needs; a world that reaches this makes no progress.
constexpr std::uint64_t kTurnsMax = 3'000'000;
/// How long a loop may be held up.
constexpr std::chrono::milliseconds kStallMax(10);

}  // namespace

std::optional<Violation> SimWorld::run() {
  std::uint64_t turns = 0;
  while (judge_.is_content()) {
    if (++turns > kTurnsMax)
      judge_.expect(false, "P6", "The world does not come to rest, turns", turns);
    if (take_turn()) continue;
    if (!advance_clock() && !drop_handles()) break;
  }
  if (judge_.is_content()) judge_end();
  return judge_.violation();
}

// --- Chance

bool SimWorld::is_parked(const Driver& driver) const {
  return driver.state == DriverState::kParked && driver.worker->spot().is_waiting();
}

bool SimWorld::is_ready(const Driver& driver) const {
  if (driver.until && *driver.until <= clock_.now()) return true;
  return driver.state == DriverState::kParked ? !driver.worker->spot().is_waiting() : !driver.until;
}

bool SimWorld::take_turn() {
  choices_.clear();
  for (std::uint32_t index = 0; index < drivers_.size(); ++index) {
    if (is_ready(drivers_[index])) choices_.push_back(index);
  }
  const auto loop_choice = static_cast<std::uint32_t>(drivers_.size());
  const std::uint32_t event_choice = loop_choice + 1;
  if (loop_.has_ready() && clock_.now() >= loop_stalled_until_) choices_.push_back(loop_choice);
  if (!events_.empty() && events_.back().when <= clock_.now()) choices_.push_back(event_choice);
  if (choices_.empty()) return false;
  const std::uint32_t choice = choices_[random_.below(choices_.size())];
  log(choice);
  if (choice == loop_choice) {
    turn_loop();
  } else if (choice == event_choice) {
    const Event event = events_.back();
    events_.pop_back();
    happen(event);
  } else {
    step(drivers_[choice]);
  }
  note_inner_answers();
  judge_admission();
  ask_for_waiting();
  return true;
}

void SimWorld::turn_loop() {
  if (scenario_.loop_stalls && random_.below(8) == 0) {
    const auto most = static_cast<std::uint64_t>(base::Duration(kStallMax).count());
    const auto stall = base::Duration(static_cast<std::int64_t>(random_.below(most)));
    loop_stalled_until_ = clock_.now() + stall;
    return;
  }
  scenario_.loop_works_in_turns ? loop_.run_turn() : loop_.run_one();
}

void SimWorld::step(Driver& driver) {
  const runtime::DriverScope scope(*driver.worker);
  const ClassView before = view_of(driver);
  switch (driver.state) {
    case DriverState::kAwake:
      may_come_back(driver) ? come_back(driver) : look_for_work(driver);
      break;
    case DriverState::kInBody:
      driver.inner_run ? begin_inner_run(driver) : end_body(driver);
      break;
    case DriverState::kParked:
      wake(driver);
  }
  judge_classes(driver, before);
}

void SimWorld::look_for_work(Driver& driver) {
  runtime::Worker& worker = *driver.worker;
  driver.until.reset();
  // Real threads run whole strands; most turns here run one body at a time, so that time passes
  // during it. A body that executes a run needs turns of its own. Bodies of a whole strand take no
  // time: where time on the loop matters, they would be measured as free and taken there.
  const bool may_run_whole_strand =
      scenario_.runs_whole_strands && !scenario_.has_inner_runs && !scenario_.loop_takes_time;
  in_whole_strand_ = may_run_whole_strand && random_.below(16) == 0;
  const bool found = in_whole_strand_ ? worker.work_strand() : worker.start();
  if (found) driver.was_woken = false;
  if (found && !in_whole_strand_) start_body(driver);
  in_whole_strand_ = false;
  if (found) return;
  const runtime::IdleAction action = worker.idle();
  if (action.kind != runtime::IdleAction::Kind::kPark) {
    const auto spin = static_cast<std::uint64_t>(scenario_.config.spin_time.count());
    driver.until =
        clock_.now() + base::Duration(static_cast<std::int64_t>(1 + random_.below(spin / 2 + 100)));
    return;
  }
  driver.state = DriverState::kParked;
  if (action.timeout) driver.until = clock_.now() + *action.timeout;
  // The event that ends the wait may have come before the waiter was announced: then nobody wakes
  // it.
  if (may_come_back(driver)) driver.until = clock_.now();
}

void SimWorld::start_body(Driver& driver) {
  driver.state = DriverState::kInBody;
  driver.run = started_run_;
  driver.node = started_node_;
  driver.since = clock_.now();
  driver.inner_run = find_inner_run(*driver.run, driver.node);
  const base::Duration cost = driver.run->cost(driver.node);
  driver.until = clock_.now() + (driver.inner_run ? cost / 2 : cost);
}

void SimWorld::end_body(Driver& driver) {
  driver.state = DriverState::kAwake;
  driver.since = clock_.now();
  driver.until.reset();
  driver.run->body_finished(driver.node, moment());
  RunLedger& ledger = *driver.run;
  driver.worker->finish();
  ledger.body_settled(driver.node, moment());
}

void SimWorld::wake(Driver& driver) {
  // A wait that was notified returns at once. A wait whose time has run out cancels its
  // announcement.
  base::ParkingSpot<>& spot = driver.worker->spot();
  const bool is_notified = spot.is_waiting() ? !spot.cancel() : spot.wait(std::nullopt);
  driver.state = DriverState::kAwake;
  driver.until.reset();
  driver.was_woken = is_notified;
  driver.worker->unparked(is_notified);
}

// --- Time

std::optional<base::TimePoint> SimWorld::next_of_loop() const {
  if (loop_.has_ready()) return loop_stalled_until_;
  const std::optional<base::TimePoint> timer = loop_.next_deadline();
  return timer ? std::max(*timer, loop_stalled_until_) : timer;
}

bool SimWorld::advance_clock() {
  judge_idleness();
  std::optional<base::TimePoint> next = next_of_loop();
  const auto consider = [&next](base::TimePoint when) {
    next = next ? std::min(*next, when) : when;
  };
  for (const Driver& driver : drivers_) {
    if (driver.until) consider(*driver.until);
  }
  if (!events_.empty()) consider(events_.back().when);
  for (const std::uint32_t run : waiting_) {
    if (admit_by_[run] != base::TimePoint::max()) consider(admit_by_[run]);
  }
  if (!next) return false;
  clock_.set(*next);
  ask_for_waiting();
  return true;
}

void SimWorld::judge_idleness() {
  bool anyone_looks = false;
  bool anyone_watches = false;
  bool anyone_sleeps = false;
  for (const Driver& driver : drivers_) {
    if (driver.state != DriverState::kParked) anyone_looks |= driver.state == DriverState::kAwake;
    if (is_parked(driver)) (driver.until ? anyone_watches : anyone_sleeps) = true;
  }
  const bool all_parked = std::all_of(
      drivers_.begin(), drivers_.end(), [this](const Driver& driver) { return is_parked(driver); });
  if (all_parked) {
    judge_.expect(!drivers_.front().worker->sees_work(),
                  "D6",
                  "All workers sleep while work is there: lost wake-up",
                  0);
  }
  judge_hostages();
  if (anyone_looks || anyone_watches || !anyone_sleeps) return;
  for (const Driver& driver : drivers_) {
    const bool is_long = driver.state == DriverState::kInBody &&
                         *driver.until - clock_.now() > 4 * scenario_.config.watch_period;
    if (!is_long) continue;
    judge_.expect(driver.worker->ready_hint() == 0,
                  "D6",
                  "A long body holds ready nodes and nobody will wake the workers",
                  driver.worker->ready_hint());
  }
}

void SimWorld::judge_hostages() {
  // Of the idle workers at least one checks for work once in a period.
  const base::Duration patience = 2 * (scenario_.config.watch_period + scenario_.config.spin_time) +
                                  std::chrono::microseconds(1);
  const auto is_long_since = [&](const Driver& driver) {
    return clock_.now() - driver.since > patience;
  };
  const bool anyone_idle = std::any_of(drivers_.begin(), drivers_.end(), [&](const Driver& driver) {
    return driver.state != DriverState::kInBody && is_long_since(driver);
  });
  if (!anyone_idle) return;
  for (const Driver& driver : drivers_) {
    if (driver.state != DriverState::kInBody || !is_long_since(driver)) continue;
    judge_.expect(driver.worker->ready_hint() == 0,
                  "D6",
                  "A long body holds ready nodes and an idle worker does not take them",
                  driver.worker->ready_hint());
  }
}

bool SimWorld::drop_handles() {
  // The storage of a run, and its place in admission, is freed when its last handle is gone.
  // Dropping a handle lets at most a few waiting runs in, so the number of times is bounded.
  if (handle_drops_++ > ledgers_.size()) return false;
  for (const auto& ledger : ledgers_) ledger->handle = {};
  ask_for_waiting();
  return true;
}

void SimWorld::judge_end() {
  for (std::uint32_t run = 0; run < ledgers_.size(); ++run) {
    const RunLedger& ledger = *ledgers_[run];
    if (ledger.is_refused || (ledger.plan().inside && !ledger.is_submitted())) continue;
    judge_.expect(ledger.is_submitted(), "B4", "A run was neither admitted nor refused, run", run);
    judge_.expect(ledger.is_answered(),
                  admission_ ? "B2" : "K2",
                  "Nothing moves but a run has no answer, run",
                  run);
    judge_.expect(
        ledger.is_released(), "C2", "Nothing moves but a run keeps its storage, run", run);
  }
  for (const Driver& driver : drivers_) {
    judge_.expect(is_parked(driver),
                  "P6",
                  "A worker without work does not sleep, worker",
                  driver.worker->index());
    judge_.expect(driver.outer.empty(),
                  "D7",
                  "A body never came back from the run inside it, worker",
                  driver.worker->index());
  }
  judge_.expect(pool_->searching_count() == 0,
                "D6",
                "All workers sleep, but some are counted as searching for work",
                static_cast<std::uint64_t>(std::abs(pool_->searching_count())));
  judge_.expect(
      pool_->ready_count() == 0, "K2", "Nodes are left in the queues", pool_->ready_count());
  if (trace_ && judge_.is_content()) {
    trace_->flush();
    judge_.expect(trace_->stats().dropped_records == 0,
                  "T4",
                  "Records were dropped",
                  trace_->stats().dropped_records);
  }
  if (!admission_) return;
  const runtime::AdmissionStats stats = admission_->stats();
  judge_.expect(stats.run_count == 0,
                "B4",
                "Permits are missing",
                static_cast<std::uint64_t>(stats.run_count));
  judge_.expect(stats.abandoned_count == 0,
                "B4",
                "Runs with abandoned bodies are left",
                static_cast<std::uint64_t>(stats.abandoned_count));
}

}  // namespace millrace::sim
