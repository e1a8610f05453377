#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/sync/planted_bug.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/run_extras.h"
#include "runtime/run_steps.h"
#include "runtime/sequence_trace.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/priority_order.h"
#include "runtime/topology/topology.h"
#include "runtime/worker.h"
#include "runtime/worker_pool.h"

// The path of a node where no part of the run is worth sharing (D6). One strand then does all of
// it, and tokens could only lead it along an order that is known beforehand: it follows that, and
// counts nothing. Should a body take longer than expected, whoever watches turns what is left into
// tokens and a stack, and goes on with its share of them.

namespace millrace::runtime {
namespace {

const SequenceStep* sequence_end(const PriorityOrder& order) {
  return order.sequence.data() + order.sequence.size();
}

std::uint32_t place_of(const PriorityOrder& order, const SequenceStep* step) {
  return static_cast<std::uint32_t>(step - order.sequence.data());
}

/// In the place of a `SequenceTrace` where there is none.
struct NoTrace {
  static constexpr bool kIsOn = false;
  void note(const NodeCall& /*call*/, bool /*ok*/) {}
};

}  // namespace

bool Worker::may_follow_sequence(const Run& run) const {
  const PriorityOrder& order = *run.order_;
  if (order.sequence.empty() || order.sequence.size() >= kSequenceBit) return false;
  if (!pool_.can_share()) return true;
  // As long as so many nodes cannot lie ready, a strand that counts tokens would not share either.
  return run.dearest_ns_ != CostModel::kUnknown && order.waiting_max < share_count(run);
}

void Worker::follow_sequence(const Run& run, std::uint32_t place) {
  const PriorityOrder& order = *run.order_;
  step_ = order.sequence.data() + place;
  // Somebody must watch, in case that a cost is wrong and nodes wait for a body.
  if (pool_.can_share() && order.waiting_max != 0 && !pool_.is_watched()) pool_.wake_watcher(*this);
}

// Once per node. Few values live across the call of a body, as in run_strand_fast.
template <bool kSharing, class Trace>
[[gnu::always_inline]] inline Worker::SequencePause Worker::run_steps(NodeCall& call,
                                                                      const SequenceStep*& next,
                                                                      const SequenceStep* until,
                                                                      Trace& trace) {
  Run& run = *run_;
  for (const SequenceStep* step = next; step != until; ++step) {
    if (run.stopped()) [[unlikely]] {
      next = step;
      return SequencePause::kStopped;
    }
    const HotNode& hot = run.nodes_[step->node];
    call.node_ = step->node;
    stack_top_.store(step->waiting, std::memory_order_relaxed);
    // With nothing ready beside it there is nothing that a peer could want from here.
    if (kSharing && step->waiting != 0) {
      step_ = step;
      handshake_.enter_body();
    }
    const bool ok = hot.body(hot.closure, call);
    const bool taken = kSharing && step->waiting != 0 && handshake_.leave_body();
    trace.note(call, ok);
    if (!ok || taken) [[unlikely]] {
      next = step + 1;
      return ok ? SequencePause::kTaken : SequencePause::kFailed;
    }
  }
  next = until;
  return SequencePause::kOthers;
}

template <bool kSharing, class Trace>
[[gnu::always_inline]] inline void Worker::run_sequence(Trace& trace) {
  Run& run = *run_;
  NodeCall call(run, run.context_);
  const SequenceStep* const end = sequence_end(*run.order_);
  const SequenceStep* const first = step_;
  const SequenceStep* step = first;
  SequencePause pause = SequencePause::kOthers;
  const auto depth_max =
      std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(pool_.config().max_inline_depth), 1);
  do {
    pause = run_steps<kSharing>(call, step, end - step > depth_max ? step + depth_max : end, trace);
  } while (pause == SequencePause::kOthers && step != end && !others_wait());
  counters_.add(counters_.executed, static_cast<std::uint64_t>(step - first));
  if constexpr (Trace::kIsOn) {
    counters_.add(counters_.inlined, trace.inlined_count());
    run.add_executed(static_cast<std::uint32_t>(step - first));
  }
  switch (pause) {
    case SequencePause::kOthers:
      return step == end ? end_strand()
                         : put_behind_others(run, kSequenceBit | place_of(*run.order_, step));
    case SequencePause::kStopped:
      return abandon_strand();
    case SequencePause::kFailed:
      return fail_node(run, call);
    case SequencePause::kTaken:
      if constexpr (Trace::kIsOn) return go_on_traced(run, trace);
      return go_on_with_tokens(run, run.nodes_[node_]);
  }
}

template <bool kSharing>
void Worker::run_sequence() {
  if (run_->full_path_) return run_traced_sequence<kSharing>();
  NoTrace none;
  run_sequence<kSharing>(none);
}

template void Worker::run_sequence<true>();
template void Worker::run_sequence<false>();

// Apart, so that the loop above is as small as it would be without traces.
template <bool kSharing>
[[gnu::noinline]] void Worker::run_traced_sequence() {
  SequenceTrace trace(*this, *run_, step_);
  run_sequence<kSharing>(trace);
}

void Worker::start_of_sequence() {
  node_ = step_->node;
  stack_top_.store(step_->waiting, std::memory_order_relaxed);
  if (!run_->full_path_) return;
  if (!sequence_trace_) sequence_trace_.emplace(*this, *run_, step_);
  run_->add_executed(1);
}

void Worker::finish_traced() {
  Run& run = *run_;
  handshake_.leave_body();
  MR_CHECK(call_.has_value() && sequence_trace_.has_value());  // `start` made them
  sequence_trace_->note(*call_, body_ok_);
  const SequenceTrace trace = *sequence_trace_;
  if (trace.arrival().is_direct()) counters_.add(counters_.inlined);
  if (!body_ok_) return fail_node(run, *call_);
  if (step_ != nullptr) return finish_of_sequence();
  sequence_trace_.reset();
  go_on_traced(run, trace);
}

void Worker::go_on_traced(Run& run, const SequenceTrace& trace) {
  set_boundary_time(trace.end_time());
  arrival_ = trace.arrival();
  const std::uint32_t mark = stack_top_.load(std::memory_order_relaxed);
  RunSteps(*this, run).pass_tokens(node_);
  go_on_full(run, mark);
}

void Worker::finish_of_sequence() {
  Run& run = *run_;
  if (++step_ == sequence_end(*run.order_)) return end_strand();
  if (++depth_ < pool_.config().max_inline_depth) return;
  depth_ = 0;
  if (others_wait()) put_behind_others(run, kSequenceBit | place_of(*run.order_, step_));
}

void Worker::leave_sequence() {
  Run& run = *run_;
  StrandWalk walk{
      .nodes = run.nodes_, .edges = run.edges_, .tokens = run.counters_, .waiting = stack_};
  walk.begin(run.order_->sources);
  const SequenceStep* step = run.order_->sequence.data();
  if (run.full_path_ && !MR_PLANTED(kForgottenWait)) {
    RunExtras& extras = *run.extras_;
    for (const std::uint32_t source : run.order_->sources)
      extras.set_ready_time(source, extras.started_at());
    for (; step != step_; ++step) {
      walk.step([&extras, by = walk.node](std::uint32_t ready) {
        extras.set_ready_time(ready, extras.end_time(by));
      });
    }
  }
  for (; step != step_; ++step) walk.step();
  MR_DCHECK(walk.node == step_->node);
  node_ = walk.node;
  stack_top_.store(walk.waiting_count, std::memory_order_relaxed);
  if (!MR_PLANTED(kSequenceKept)) step_ = nullptr;
}

}  // namespace millrace::runtime
