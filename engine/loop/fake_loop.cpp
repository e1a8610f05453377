#include "loop/fake_loop.h"

#include <algorithm>
#include <cstdint>

#include "base/check.h"
#include "base/clock.h"
#include "loop/event_loop.h"
#include "loop/executor.h"
#include "loop/loop_thread.h"

namespace millrace::loop {
namespace {

/// A call that runs more jobs and timers than this has one that posts itself for ever.
constexpr std::uint64_t kReadyMax = 100'000'000;

}  // namespace

FakeLoop::~FakeLoop() {
  std::uint64_t count = 0;
  while (!jobs_.empty() || timers_.size() > 0) {
    MR_CHECK(++count < kReadyMax);
    const LoopThread::Scope scope(thread());
    if (Job* const job = jobs_.try_pop_front()) {
      job->run(*job);
    } else {
      timers_.drop_next();
    }
  }
}

bool FakeLoop::run_one() {
  begin_turn();
  const LoopThread::Scope scope(thread());
  if (Job* const job = jobs_.try_pop_front()) {
    job->run(*job);
    return true;
  }
  return timers_.fire_next(clock_.now());
}

bool FakeLoop::run_turn() {
  if (!has_ready()) return false;
  begin_turn();
  const LoopThread::Scope scope(thread());
  const base::TimePoint end = clock_.now() + EventLoop::kJobTimePerTurnMax;
  for (std::uint32_t count = 0; count < EventLoop::kJobsPerTurnMax && !jobs_.empty(); ++count) {
    Job* const job = jobs_.try_pop_front();
    job->run(*job);
    if (clock_.now() >= end) break;
  }
  const base::TimePoint now = clock_.now();
  while (timers_.fire_next(now)) {
  }
  return true;
}

std::uint64_t FakeLoop::run_ready() {
  std::uint64_t count = 0;
  while (run_one()) MR_CHECK(++count < kReadyMax);
  return count;
}

void FakeLoop::advance_to(base::TimePoint time) {
  MR_CHECK(time >= clock_.now());
  run_ready();
  for (auto next = next_deadline(); next && *next <= time; next = next_deadline()) {
    clock_.set(std::max(*next, clock_.now()));
    run_ready();
  }
  clock_.set(time);
}

bool FakeLoop::has_ready() const {
  if (!jobs_.empty()) return true;
  const auto next = next_deadline();
  return next && *next <= clock_.now();
}

}  // namespace millrace::loop
