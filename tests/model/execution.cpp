#include "execution.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include <fmt/core.h>

#include "base/check.h"
#include "choice_tree.h"
#include "explorer.h"
#include "fiber_team.h"
#include "memory.h"

namespace millrace::model {
namespace {

Execution* current_execution = nullptr;

// Used in a history for operations that read nothing.
constexpr std::uint64_t kHeavyFenceMark = ~std::uint64_t{1};
constexpr std::uint64_t kFutexWakeMark = ~std::uint64_t{2};
constexpr std::uint64_t kSpuriousMark = ~std::uint64_t{3};

// Tells apart different kinds of choices that are open in the same state.
constexpr std::uint64_t kTurnPurpose = 0;
constexpr std::uint64_t kSpuriousPurpose = 1;

}  // namespace

Execution::Execution(const Options& options, ChoiceTree& choices, FiberTeam& fibers)
    : options_(options),
      choices_(choices),
      fibers_(fibers),
      memory_(options.store_order),
      spurious_left_(options.spurious_max) {
  current_execution = this;
}

Execution::~Execution() { current_execution = nullptr; }

Execution& Execution::current() {
  MR_CHECK(current_execution != nullptr);
  return *current_execution;
}

void Execution::run(Scenario& scenario) {
  thread_count_ = scenario.thread_count();
  MR_CHECK(thread_count_ <= kThreadCountMax, thread_count_);
  has_heavy_fences_ = scenario.has_heavy_fences();
  memory_.join_all();
  fibers_.set_job([this, &scenario](std::size_t thread) { run_thread(scenario, thread); });
  take_turns();
  for (std::size_t thread = 1; thread <= thread_count_; ++thread) {
    if (threads_[thread].started && !threads_[thread].finished) fibers_.restart(thread);
  }
  running_ = 0;
  memory_.join_all();
}

void Execution::run_thread(Scenario& scenario, std::size_t thread) {
  threads_[thread].started = true;
  scenario.run(thread - 1);
  threads_[thread].finished = true;
  take_turns();
}

void Execution::fail(const std::string& what) {
  if (!failure_.empty()) return;
  choices_.stop_branching();
  failure_ = fmt::format("{} (thread {})\n", what, running_);
  for (const TraceLine& line : trace_) {
    failure_ += fmt::format("  thread {}: {}", line.thread, line.operation);
    if (line.location != 0) {
      failure_ += fmt::format(
          " atomic {}.{} = {:#x}", line.location >> 32, line.location & 0xffffffff, line.value);
    }
    failure_ += '\n';
  }
}

// --- turns ---------------------------------------------------------------------------------------

void Execution::wait_turn(Drain drain, const Location* location) {
  if (running_ == 0) return;
  Thread& self = threads_[running_];
  self.drain = drain;
  self.drain_location = location;
  self.drain_thread = running_;
  take_turns();
}

void Execution::take_turns() {
  std::size_t next = 0;
  while (true) {
    collect_options();
    if (option_list_.empty()) {
      if (!all_finished()) fail("No thread can go on");
      break;
    }
    if (++step_count_ > options_.steps_max) {
      fail("The execution does not end");
      break;
    }
    const Option option = option_list_[choose(option_list_.size(), kTurnPurpose)];
    if (option.kind == Option::Kind::kRun) {
      next = option.thread;
      break;
    }
    apply(option);
  }
  if (next == running_) return;
  running_ = next;
  // switch_to() returns in this execution when it is the thread's turn. For a thread that has ended
  // it returns in a later execution: then `this` is gone.
  fibers_.switch_to(next);
}

std::size_t Execution::choose(std::size_t option_count, std::uint64_t purpose) {
  if (option_count == 1) return 0;
  return choices_.choose(option_count, choices_.wants_state() ? mix(state(), purpose) : 0);
}

void Execution::collect_options() {
  option_list_.clear();
  for (std::size_t thread = 1; thread <= thread_count_; ++thread) {
    const Thread& candidate = threads_[thread];
    if (can_run(thread)) option_list_.push_back({Option::Kind::kRun, thread});
    if (candidate.asleep_on != nullptr && candidate.can_time_out) {
      option_list_.push_back({Option::Kind::kTimeOut, thread});
    }
    if (candidate.asleep_on != nullptr && spurious_left_ > 0) {
      option_list_.push_back({Option::Kind::kSpuriousWake, thread});
    }
    for (std::size_t index = 0; index < memory_.thread(thread).buffer.size(); ++index) {
      if (memory_.can_flush(thread, index)) {
        option_list_.push_back({Option::Kind::kFlush, thread, index});
      }
    }
  }
}

bool Execution::can_run(std::size_t thread) const {
  const Thread& self = threads_[thread];
  if (self.finished || self.asleep_on != nullptr) return false;
  if (self.spinning && self.version_at_pause == memory_.version()) return false;
  return memory_.is_drained(self.drain_thread, self.drain, self.drain_location);
}

void Execution::apply(const Option& option) {
  Thread& thread = threads_[option.thread];
  if (option.kind == Option::Kind::kFlush) {
    const PendingStore& pending = memory_.thread(option.thread).buffer[option.store_index];
    trace_.push_back({option.thread, "reaches memory:", pending.location->id, pending.value});
    memory_.flush(option.thread, option.store_index);
    return;
  }
  const bool timed_out = option.kind == Option::Kind::kTimeOut;
  if (!timed_out) --spurious_left_;
  thread.wake = timed_out ? Wake::kTimedOut : Wake::kSpurious;
  thread.asleep_on = nullptr;
}

bool Execution::all_finished() const {
  for (std::size_t thread = 1; thread <= thread_count_; ++thread) {
    if (!threads_[thread].finished) return false;
  }
  return true;
}

std::uint64_t Execution::state() const {
  std::uint64_t hash = mix(memory_.fingerprint(), static_cast<std::uint64_t>(spurious_left_));
  for (std::size_t thread = 1; thread <= thread_count_; ++thread) {
    const Thread& self = threads_[thread];
    hash = mix(hash, self.started ? 1 : 0);
    hash = mix(hash, self.finished ? 1 : 0);
    hash = mix(hash, self.spinning ? 1 : 0);
    hash = mix(hash, self.version_at_pause == memory_.version() ? 1 : 0);
    hash = mix(hash, self.asleep_on != nullptr ? self.asleep_on->id : 0);
    hash = mix(hash, static_cast<std::uint64_t>(self.wake));
  }
  return hash;
}

// --- operations ----------------------------------------------------------------------------------

void Execution::create(Location& location, std::uint64_t value) {
  memory_.create(running_, location, value);
}

std::uint64_t Execution::load(const Location& location, std::memory_order order) {
  wait_turn(Memory::drain_before_load(order), &location);
  const std::uint64_t value = memory_.load(running_, location, order);
  trace("loads", &location, value);
  return value;
}

void Execution::store(Location& location, std::uint64_t value, std::memory_order order) {
  // Only another thread's heavy fence can notice a store that goes to the buffer.
  if (options_.store_order == StoreOrder::kSequential || has_heavy_fences_) {
    wait_turn(Drain::kNothing);
  }
  trace("stores", &location, value);
  memory_.store(running_, location, value, order);
}

std::uint64_t Execution::exchange(Location& location,
                                  std::uint64_t value,
                                  std::memory_order order) {
  wait_turn(memory_.drain_before_update(order), &location);
  const std::uint64_t found = memory_.load(running_, location, order);
  memory_.exchange(running_, location, value, order);
  trace("exchanges", &location, value);
  return found;
}

Execution::Found Execution::compare_exchange(Location& location, const CompareExchange& how) {
  wait_turn(memory_.drain_before_update(how.success), &location);
  if (location.value != how.expected || (how.weak && choose_spurious())) {
    const std::uint64_t found = memory_.load(running_, location, how.failure);
    trace("fails to exchange", &location, found);
    return {.value = found, .exchanged = false};
  }
  const std::uint64_t found = memory_.load(running_, location, how.success);
  memory_.exchange(running_, location, how.desired, how.success);
  trace("compare-exchanges", &location, how.desired);
  return {.value = found, .exchanged = true};
}

bool Execution::choose_spurious() {
  if (running_ == 0 || spurious_left_ == 0) return false;
  if (choose(2, kSpuriousPurpose + running_) == 0) return false;
  --spurious_left_;
  memory_.observe(running_, kSpuriousMark);
  threads_[running_].version_at_pause = kNeverPaused;  // A second try does not wait for a change.
  return true;
}

void Execution::fence_seq_cst() {
  wait_turn(Drain::kEverything);
  memory_.fence_seq_cst(running_);
  trace("passes a fence");
}

void Execution::heavy_fence() {
  fence_seq_cst();
  if (running_ == 0) return;
  MR_CHECK(has_heavy_fences_, "the scenario must say so");
  for (std::size_t thread = 1; thread <= thread_count_; ++thread) {
    if (thread == running_) continue;
    threads_[running_].drain = Drain::kEverything;
    threads_[running_].drain_thread = thread;
    take_turns();
    memory_.observe(running_, kHeavyFenceMark);
  }
  trace("ends a heavy fence");
}

void Execution::pause() {
  if (running_ == 0) return;
  Thread& self = threads_[running_];
  if (self.version_at_pause == memory_.version()) {
    self.spinning = true;
    wait_turn(Drain::kNothing);
    self.spinning = false;
  }
  self.version_at_pause = memory_.version();
}

bool Execution::futex_wait(const Location& location, std::uint64_t expected, bool can_time_out) {
  // The kernel compares the word and falls asleep in one step, behind a full fence.
  wait_turn(Drain::kEverything);
  if (memory_.load(running_, location, std::memory_order_relaxed) != expected) {
    trace("does not sleep on", &location, location.value);
    return true;
  }
  trace("sleeps on", &location, expected);
  Thread& self = threads_[running_];
  self.asleep_on = &location;
  self.can_time_out = can_time_out;
  self.wake = Wake::kAsleep;
  wait_turn(Drain::kNothing);
  memory_.observe(running_, static_cast<std::uint64_t>(self.wake));
  trace("wakes up");
  return self.wake != Wake::kTimedOut;
}

void Execution::futex_wake_one(const Location& location) {
  wait_turn(Drain::kEverything);
  memory_.observe(running_, kFutexWakeMark);
  trace("wakes sleeper on", &location, location.value);
  for (std::size_t thread = 1; thread <= thread_count_; ++thread) {
    if (threads_[thread].asleep_on != &location) continue;
    threads_[thread].asleep_on = nullptr;
    threads_[thread].wake = Wake::kWoken;
    return;
  }
}

void Execution::read_plain(AccessRecord& record) {
  if (!memory_.read_plain(running_, record)) fail("Plain data is read without synchronisation");
}

void Execution::write_plain(AccessRecord& record) {
  if (!memory_.write_plain(running_, record)) {
    fail("Plain data is written without synchronisation");
  }
}

}  // namespace millrace::model
