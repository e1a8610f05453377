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

template <class T>
void clear(const std::unique_ptr<std::atomic<T>[]>& cells, std::uint32_t count) {
  for (std::uint32_t index = 0; index < count; ++index)
    cells[index].store(T{}, std::memory_order_relaxed);
}

void fire_node_timer(loop::Timer& timer) {
  auto& fired = static_cast<NodeTimer&>(timer);
  fired.extras.loop_host()->on_node_timer(fired);
}

void fire_deadline(loop::Timer& timer) {
  auto& fired = static_cast<DeadlineTimer&>(timer);
  fired.extras.loop_host()->on_deadline(fired.extras.run());
}

}  // namespace

NodeTimer::NodeTimer(RunExtras& owner, std::uint32_t timed_node, bool is_give_up)
    : loop::Timer(fire_node_timer, fire_node_timer),
      extras(owner),
      node(timed_node),
      gives_up(is_give_up) {}

DeadlineTimer::DeadlineTimer(RunExtras& owner)
    : loop::Timer(fire_deadline, fire_deadline), extras(owner) {}

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

RunExtras::RunExtras(Run& run, const Topology& topology)
    : answer_job(*this),
      start_job(*this),
      run_(run),
      topology_(topology),
      states_(topology.node_count()),
      deadline_(*this) {
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
  if (topology.traits().has_timeout) timeouts_.resize(count);
  for (std::uint32_t node = 0; node < count && !timeouts_.empty(); ++node) {
    if (topology.spec(node).timeout)
      timeouts_[node] = std::make_unique<NodeTimer>(*this, node, false);
  }
  if (!topology.traits().has_fallback) return;
  finish_ns_ = make_cells<std::int64_t>(count);
  marks_ = std::make_unique<FallbackMarks<>[]>(count);
  give_ups_.resize(count);
  for (std::uint32_t node = 0; node < count; ++node) {
    if (topology.spec(node).fallback == FallbackKind::kNone) continue;
    give_ups_[node] = std::make_unique<NodeTimer>(*this, node, true);
  }
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

}  // namespace millrace::runtime
