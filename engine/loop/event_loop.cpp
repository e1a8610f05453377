#include "loop/event_loop.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <pthread.h>
#include <uv.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "base/sync/time_slice.h"
#include "loop/executor.h"
#include "loop/inbox.h"
#include "loop/loop_thread.h"
#include "loop/uv_loop.h"

namespace millrace::loop {
namespace {

/// A stopping loop that needs more turns than this has a job or timer that never ends.
constexpr std::uint32_t kDrainTurnsMax = 1'000'000;
constexpr std::size_t kThreadNameMax = 15;

}  // namespace

struct EventLoop::StopJob : Job {
  explicit StopJob(EventLoop& stopped) : Job(&run_stop), loop(stopped) {}
  static void run_stop(Job& job) {
    EventLoop& loop = static_cast<StopJob&>(job).loop;
    loop.thread().assert_current();
    loop.stopping_ = true;
  }
  EventLoop& loop;
};

base::Result<std::unique_ptr<EventLoop>> EventLoop::create(std::string name) {
  MR_TRY(auto uv, UvLoop::open());
  std::unique_ptr<EventLoop> loop(new EventLoop(std::move(uv)));
  try {
    loop->worker_ = std::thread([self = loop.get(), name = std::move(name)] { self->run(name); });
  } catch (const std::system_error& error) {
    return base::fail(base::ErrorCode::kResourceExhausted,
                      std::string("Cannot start a loop thread: ") + error.what());
  }
  return loop;
}

EventLoop::EventLoop(std::unique_ptr<UvLoop> uv) : uv_(std::move(uv)), timers_(&uv_->alarm) {
  uv_->alarm_poll.data = this;
  const int result = uv_poll_start(
      &uv_->alarm_poll, UV_READABLE, [](uv_poll_t* handle, int status, int /*events*/) {
        MR_CHECK(status == 0, status);
        auto& loop = *static_cast<EventLoop*>(handle->data);
        loop.thread().assert_current();
        loop.fire_due();
      });
  MR_CHECK(result == 0, result);
}

EventLoop::~EventLoop() {
  stop();
  MR_CHECK(inbox_.looks_empty());
}

void EventLoop::stop() {
  if (!worker_.joinable()) return;
  MR_CHECK(!is_current());
  StopJob job(*this);
  post(job);
  worker_.join();
}

void EventLoop::post(Job& job) {
  if (thread().is_current()) {
    thread().assert_current();
    jobs_.push_back(job);
    return;
  }
  if (!inbox_.push(job)) return;
  MR_CHECK(uv_async_send(&uv_->wake) == 0);
  wakes_delivered_.fetch_add(1, std::memory_order_release);
}

LoopCounters EventLoop::counters() const {
  return {.wakeups = cells_.wakeups.value(),
          .jobs = cells_.jobs.value(),
          .timers_fired = cells_.timers_fired.value()};
}

void EventLoop::run(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, kThreadNameMax).c_str());
  // Beside workers that compute, timers would fire milliseconds late without it (C2).
  (void)base::ask_for_time_slice(base::kShortTimeSlice);
  const LoopThread::Scope scope(thread());
  while (!stopping_) turn();
  drain();
}

void EventLoop::turn() {
  begin_turn();
  run_jobs();
  const bool may_sleep = jobs_.empty() && !stopping_;
  begin_poll();
  uv_run(&uv_->loop, may_sleep ? UV_RUN_ONCE : UV_RUN_NOWAIT);
  if (may_sleep) cells_.wakeups.add();
}

void EventLoop::begin_poll() {
  const base::TimePoint now = base::steady_clock().now();
  const base::Duration slept(uv_metrics_idle_time(&uv_->loop));
  if (poll_begin_ != base::TimePoint()) {
    last_turn_ = std::max((now - poll_begin_) - (slept - slept_), base::Duration(0));
    cells_.turns.observe(std::chrono::duration<double>(last_turn_).count());
    // What is below a microsecond is carried into the next turn.
    busy_ += last_turn_;
    const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(busy_);
    cells_.busy_us.add(static_cast<std::uint64_t>(whole.count()));
    busy_ -= whole;
  }
  poll_begin_ = now;
  slept_ = slept;
}

TurnTimes EventLoop::turn_times() const {
  thread().assert_current();
  const base::Duration slept(uv_metrics_idle_time(&uv_->loop));
  const base::Duration worked = (base::steady_clock().now() - poll_begin_) - (slept - slept_);
  return {.since_poll = std::max(worked, base::Duration(0)), .last_turn = last_turn_};
}

void EventLoop::run_jobs() {
  if (InboxLink* const batch = inbox_.take_all()) {
    ++batches_taken_;
    jobs_.append(batch);
  }
  if (jobs_.empty()) return;
  const base::TimePoint end = clock().now() + kJobTimePerTurnMax;
  std::uint32_t count = 0;
  do {
    Job* const job = jobs_.try_pop_front();
    ++count;
    job->run(*job);
  } while (count < kJobsPerTurnMax && !jobs_.empty() && clock().now() < end);
  cells_.jobs.add(count);
}

void EventLoop::fire_due() {
  if (stopping_) return;
  const base::TimePoint now = clock().now();
  std::uint32_t count = 0;
  while (count < kTimersPerTurnMax && timers_.fire_next(now)) ++count;
  if (count > 0) cells_.timers_fired.add(count);
  // Setting the alarm also makes its descriptor unreadable until then.
  timers_.reset_alarm();
}

void EventLoop::drain() {
  for (std::uint32_t turn_count = 0; turn_count < kDrainTurnsMax; ++turn_count) {
    for (std::size_t count = timers_.size(); count > 0 && timers_.drop_next(); --count) {
    }
    turn();
    if (!jobs_.empty() || !inbox_.looks_empty() || timers_.size() > 0) continue;
    if (wakes_delivered_.load(std::memory_order_acquire) == batches_taken_) return;
    // A thread has pushed a job and is still inside `post`.
    std::this_thread::yield();
    turn_count = 0;
  }
  MR_CHECK(false && "A job or a timer goes on for ever although its loop stops");
}

}  // namespace millrace::loop
