#include "runtime/run_extras.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"

namespace millrace::runtime {
namespace {

template <class T>
std::unique_ptr<std::atomic<T>[]> make_cells(std::uint32_t count) {
  return std::make_unique<std::atomic<T>[]>(count);
}

std::unique_ptr<std::atomic<std::int64_t>[]> make_times(std::uint32_t count) {
  auto times = make_cells<std::int64_t>(count);
  for (std::uint32_t node = 0; node < count; ++node)
    times[node].store(base::TimePoint::max().time_since_epoch().count(), std::memory_order_relaxed);
  return times;
}

template <class T>
void clear(const std::unique_ptr<std::atomic<T>[]>& cells, std::uint32_t count) {
  for (std::uint32_t index = 0; index < count; ++index)
    cells[index].store(T{}, std::memory_order_relaxed);
}

void fire_watch(loop::Timer& timer) {
  RunExtras& extras = static_cast<RunTimer&>(timer).extras;
  extras.loop_host()->on_watch(extras.run());
}

void fire_deadline(loop::Timer& timer) {
  static_cast<RunTimer&>(timer).extras.call_on_deadline(false);
}

void drop_deadline(loop::Timer& timer) {
  static_cast<RunTimer&>(timer).extras.call_on_deadline(true);
}

std::int64_t to_ns(base::TimePoint when) { return when.time_since_epoch().count(); }

/// An alarm that is a timer of a loop.
struct LoopAlarm {
  loop::Loop& loop;
  loop::Timer& timer;

  void arm(std::int64_t when_ns) const {
    loop.arm(timer, base::TimePoint(base::Duration(when_ns)));
  }
  [[nodiscard]] bool disarm() const { return loop.disarm(timer); }
};

}  // namespace

AsyncOperation::AsyncOperation(RunExtras& owner, std::uint32_t async_node)
    : loop::Job([](loop::Job& job) {
        auto& operation = static_cast<AsyncOperation&>(job);
        operation.extras.loop_host()->start_async(operation);
      }),
      extras(owner),
      node(async_node),
      completion(*this),
      end_job(*this) {}

AsyncOperation::EndJob::EndJob(AsyncOperation& owner)
    : loop::Job([](loop::Job& job) {
        AsyncOperation& operation = static_cast<EndJob&>(job).operation;
        operation.extras.loop_host()->end_async(operation);
      }),
      operation(owner) {}

AsyncOperation::Done::Done(AsyncOperation& owner)
    : loop::Completion<base::Status>([](loop::Completion<base::Status>& done, base::Status status) {
        AsyncOperation& operation = static_cast<Done&>(done).operation;
        operation.extras.loop_host()->finish_async(operation, std::move(status));
      }),
      operation(owner) {}

RunExtras::AnswerJob::AnswerJob(RunExtras& owner)
    : loop::Job([](loop::Job& job) {
        RunExtras& extras = static_cast<AnswerJob&>(job).extras;
        extras.loop_host()->answer_cancelled(extras.run());
      }),
      extras(owner) {}

RunExtras::StartJob::StartJob(RunExtras& owner)
    : loop::Job([](loop::Job& job) {
        RunExtras& extras = static_cast<StartJob&>(job).extras;
        extras.loop_host()->begin_run(extras.run());
      }),
      extras(owner) {}

RunExtras::RunExtras(Run& run, const Topology& topology, DeadlineCall on_deadline)
    : answer_job(*this),
      start_job(*this),
      run_(run),
      topology_(topology),
      on_deadline_(on_deadline),
      states_(topology.node_count()),
      deadline_timer_(*this, fire_deadline, drop_deadline),
      alarm_(*this, fire_watch, fire_watch) {
  const std::uint32_t count = topology.node_count();
  for (std::uint32_t node = 0; node < count; ++node) {
    if (topology.dependents(node).empty() && !topology.is_lazy(node)) ++sink_count_;
  }
  ready_ns_ = std::make_unique<std::int64_t[]>(count);
  begin_ns_ = make_cells<std::int64_t>(count);
  if (topology.traits().has_row_cost) row_counts_ = make_cells<std::uint32_t>(count);
  if (topology.traits().has_async) {
    operations_.resize(count);
    for (std::uint32_t node = 0; node < count; ++node) {
      if (topology.spec(node).kind != NodeKind::kAsync) continue;
      operations_[node] = std::make_unique<AsyncOperation>(*this, node);
    }
  }
  // Whatever completes on the loop may make a cpu node ready there, which then travels by its
  // entry.
  entries_ = std::make_unique<QueueEntry[]>(count);
  if (topology.traits().has_timeout) due_ns_ = make_times(count);
  if (!topology.traits().has_fallback) return;
  give_up_ns_ = make_times(count);
  finish_ns_ = make_cells<std::int64_t>(count);
  marks_ = std::make_unique<FallbackMarks<>[]>(count);
}

RunExtras::~RunExtras() {
  if (deadline_loop_ != nullptr) deadlines_.close(LoopAlarm{*deadline_loop_, deadline_timer_});
}

void RunExtras::reset(const Use& use) {
  use_ = use;
  taken_count_.store(0, std::memory_order_relaxed);
  open_sinks_.store(sink_count_, std::memory_order_relaxed);
  const std::uint32_t count = topology_.node_count();
  if (use.is_timed) states_.reset();
  if (use.times_bodies) clear(begin_ns_, count);
  if (row_counts_) clear(row_counts_, count);
  if (!marks_) return;
  clear(finish_ns_, count);
  for (std::uint32_t node = 0; node < count; ++node) marks_[node].reset();
}

void RunExtras::watch_until(base::TimePoint when) {
  watch_.set_before(to_ns(when), LoopAlarm{loop(), alarm_});
}

void RunExtras::close_watch() {
  // Without a loop nothing was ever watched.
  if (use_.loop != nullptr) watch_.close(LoopAlarm{loop(), alarm_});
}

void RunExtras::move_deadlines_to_loop() {
  if (deadline_loop_ == use_.loop) return;
  if (deadline_loop_ != nullptr) deadlines_.close(LoopAlarm{*deadline_loop_, deadline_timer_});
  deadline_loop_ = use_.loop;
}

void RunExtras::watch_deadline(base::TimePoint deadline) {
  if (deadlines_.goes_off_by(to_ns(deadline))) return;
  deadlines_.set_by(to_ns(deadline), LoopAlarm{loop(), deadline_timer_});
}

}  // namespace millrace::runtime
