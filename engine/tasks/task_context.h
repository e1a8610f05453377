#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "base/arena.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "expr/bound_expr.h"
#include "expr/evaluate.h"
#include "loop/awaitables.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "loop/stop.h"
#include "loop/task.h"
#include "plan/compiled_plan.h"
#include "plan/param_value.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/stop_check.h"
#include "rows/value.h"
#include "runtime/node_call.h"
#include "tasks/endpoint_client.h"
#include "tasks/offload.h"
#include "tasks/param_types.h"
#include "tasks/pinned_state.h"
#include "tasks/prepared_node.h"
#include "tasks/scratch_pool.h"
#include "tasks/task_stats.h"

namespace millrace::tasks {

class RequestCandidates;

/// What all nodes of one request share.
/// Threading: any thread; constant once the request has started.
/// Lifetime: outlives every body of the request.
struct RequestContext {
  std::int64_t user_id = 0;
  std::uint64_t seed = 0;
  /// What `now()` gives in expressions, read once.
  std::chrono::sys_time<std::chrono::milliseconds> now{};
  /// Values of `$req.x`, by place in `CompiledPlan::request_fields`.
  std::span<const rows::Value> fields{};
  /// The rows that the request brings along, with values of the types of their keys; null: none.
  const RequestCandidates* candidates = nullptr;
  /// Clients by `plan::EndpointId`; nullptr for an endpoint without a client in this process. They
  /// belong to `loop`: only async bodies use them.
  std::span<EndpointClient* const> clients{};
  const base::Clock* clock = &base::steady_clock();
  loop::Loop* loop = nullptr;         ///< the loop of the request
  loop::Executor* workers = nullptr;  ///< where `offload` runs
  /// Lends scratches to what an async body does on a worker.
  ScratchPool* scratches = nullptr;
  rows::RowBudget* budget = nullptr;  ///< of the rows of all nodes; null: no limit
  /// What the plan reads of the graph in this process; null if it reads none, or there is none.
  std::shared_ptr<const PinnedState> pinned = nullptr;
};

/// What the code that runs the plan gives to one call of a body.
struct NodeContext {
  const PreparedNode* node = nullptr;
  std::span<const rows::RowSet> inputs{};
  /// By param index; nullptr where the param is not an expression. Bound before the body is called.
  std::span<const expr::BoundExpr* const> exprs{};
  /// The row of the viewer node, if the plan has one and it is done.
  const rows::RowSet* viewer = nullptr;
  TaskStats* stats = nullptr;
  /// The scratch that the body uses: leased for this call, or for an async body the one of its
  /// loop, which all async bodies of the loop share. Memory from it may be kept across a
  /// suspension, but an operator must not be suspended.
  TaskScratch* scratch = nullptr;
  /// Belongs to this body until it has returned.
  base::Arena* arena = nullptr;
  loop::StopToken stop{};
  /// Says whether the node was given up because its time ran out; nullptr for a body that cannot be
  /// given up.
  const runtime::NodeCall* call = nullptr;
  /// When the node must be done: its timeout or the deadline, whichever comes first.
  std::optional<base::TimePoint> deadline{};
};

/// What a body may ask while it runs. It holds two references only: coroutines take it by value.
/// Threading: not shared. Lifetime: everything it returns lives until the body has returned.
class TaskContext {
 public:
  TaskContext(const RequestContext& request, const NodeContext& node)
      : request_(&request), node_(&node) {}

  [[nodiscard]] const RequestContext& request() const { return *request_; }
  [[nodiscard]] const plan::CompiledNode& node() const { return *node_->node->node; }
  [[nodiscard]] const rows::RowSet* viewer() const { return node_->viewer; }
  [[nodiscard]] std::span<const rows::RowSet> inputs() const { return node_->inputs; }
  /// The rows to which a param of type node refers.
  [[nodiscard]] const rows::RowSet& input(const NodeParam& param) const {
    MR_CHECK(param.input.index < node_->inputs.size());
    return node_->inputs[param.input.index];
  }

  /// An expression of the params, bound to this request.
  [[nodiscard]] const expr::BoundExpr& expr(const ExprParam& param) const {
    return bound(param.param_index);
  }
  [[nodiscard]] const expr::BoundExpr& expr(const PredicateParam& param) const {
    return bound(param.param_index);
  }
  /// How the node treats rows whose evaluation fails.
  [[nodiscard]] expr::EvalOptions eval_options() const {
    return {.on_row_error = node_->node->on_row_error};
  }

  /// The client of an endpoint, or nullptr. Threading: async bodies only.
  [[nodiscard]] EndpointClient* find_client(plan::EndpointId endpoint) const {
    return endpoint.index < request_->clients.size() ? request_->clients[endpoint.index] : nullptr;
  }

  [[nodiscard]] TaskStats& stats() const { return *node_->stats; }
  /// Adds the row errors of an evaluation to the stats.
  void count_row_errors(const expr::RowErrors& errors) const;

  [[nodiscard]] rows::RowScratch& scratch() const { return node_->scratch->rows(); }
  [[nodiscard]] expr::EvalScratch& eval_scratch() const { return node_->scratch->eval(); }
  [[nodiscard]] base::Arena& arena() const { return *node_->arena; }

  /// The stop token of the run.
  [[nodiscard]] loop::StopToken stop_token() const { return node_->stop; }
  /// True once the result of the node is no longer needed.
  [[nodiscard]] bool stop_requested() const { return stop_check().stop_requested(); }
  /// Fails with kCancelled once stop_requested() is true; call it between chunks of long work.
  [[nodiscard]] base::Status check_stop() const { return stop_check().check(); }
  /// The same check for row operators. For a body that is not a coroutine, the scratch already has
  /// it.
  [[nodiscard]] rows::StopCheck stop_check() const;

  [[nodiscard]] const base::Clock& clock() const { return *request_->clock; }
  [[nodiscard]] std::optional<base::TimePoint> deadline() const { return node_->deadline; }
  /// Time left for this node, at least 0, or nothing if it has no limit. Reads the clock.
  [[nodiscard]] std::optional<base::Duration> remaining() const;

  /// A seed that depends on the request's seed and the node's id only.
  [[nodiscard]] std::uint64_t seed() const;
  /// Random numbers for this node: the same ones whenever and wherever it runs.
  [[nodiscard]] base::SplitMix64 random() const { return base::SplitMix64(seed()); }

  /// The loop of the request. Threading: async bodies only.
  [[nodiscard]] loop::Loop& loop() const { return *request_->loop; }
  /// `co_await context.offload(function, timeout)` runs `function` on a worker and gives what it
  /// returned, or kTimeout after `timeout`, or kCancelled when the run is over; then `function`
  /// still runs to its end, so it owns all that it uses, and its result is dropped. Threading:
  /// async bodies only.
  template <class Function>
  [[nodiscard]] Offload<Function> offload(Function function,
                                          std::optional<base::Duration> timeout = {}) const {
    std::optional<base::TimePoint> when = node_->deadline;
    if (timeout) {
      const base::TimePoint own = loop().clock().now() + *timeout;
      when = when ? std::min(*when, own) : own;
    }
    return Offload<Function>(
        std::move(function),
        {.loop = request_->loop, .workers = request_->workers, .when = when, .stop = node_->stop});
  }

 private:
  [[nodiscard]] const expr::BoundExpr& bound(std::uint32_t param_index) const {
    MR_CHECK(param_index < node_->exprs.size());
    MR_CHECK(node_->exprs[param_index] != nullptr);
    return *node_->exprs[param_index];
  }

  friend class WorkerContext;

  const RequestContext* request_;
  const NodeContext* node_;
};

/// The context for a part of an async body that runs on a worker: that of the body, but with a
/// scratch of its own, because the body's belongs to the loop.
/// Threading: made and used on one worker. Lifetime: borrows the body's context.
class WorkerContext {
 public:
  explicit WorkerContext(const TaskContext& context)
      : scratch_(context.request_->scratches->acquire()),
        request_(context.request_),
        node_(*context.node_) {
    node_.scratch = scratch_.get();
  }
  WorkerContext(const WorkerContext&) = delete;
  WorkerContext& operator=(const WorkerContext&) = delete;

  [[nodiscard]] TaskContext get() const { return {*request_, node_}; }

 private:
  const ScratchLease scratch_;
  const RequestContext* const request_;
  NodeContext node_;
};

/// `co_await run_on_worker(context, work)` calls `work(context)` on a worker, where it may take
/// long, and gives what it returned. Unlike an offload it always waits for the end of the work,
/// which may therefore use what the body has, and looks at the stop as a cpu node does.
/// Threading: async bodies only.
template <class Work>
[[nodiscard]] loop::Task<std::invoke_result_t<Work&, const TaskContext&>> run_on_worker(
    TaskContext context, Work work) {
  co_await loop::on(*context.request().workers);
  const WorkerContext there(context);
  co_return work(there.get());
}

/// Makes the row operators that a body calls stop when the node's result is no longer needed or the
/// budget of the request is used up, and counts their memory in that budget.
/// Threading: that of the body, which must not suspend meanwhile. Lifetime: within the body's.
class StopScope {
 public:
  explicit StopScope(const TaskContext& context) : scratch_(context.scratch()) {
    scratch_.set_stop(context.stop_check());
  }
  ~StopScope() { scratch_.set_stop({}); }
  /// Passes a result on. If it is an error the request gets its memory back, for a fallback.
  template <class T>
  [[nodiscard]] base::Result<T> end(base::Result<T> made) const {
    if (!made) scratch_.give_back();
    return made;
  }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  rows::RowScratch& scratch_;
};

}  // namespace millrace::tasks
