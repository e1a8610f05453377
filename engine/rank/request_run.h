#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/arena.h"
#include "base/clock.h"
#include "base/lease_pool.h"
#include "base/result.h"
#include "expr/bound_expr.h"
#include "loop/task.h"
#include "rank/live_rows.h"
#include "rank/prepared_plan.h"
#include "rank/rank_error.h"
#include "rank/request.h"
#include "rank/services.h"
#include "rank/watch/node_times.h"
#include "rows/row_set.h"
#include "rows/stop_check.h"
#include "rows/value.h"
#include "runtime/node_call.h"
#include "runtime/topology/topology.h"
#include "tasks/pinned_state.h"
#include "tasks/task_context.h"
#include "tasks/task_stats.h"

namespace millrace::rank {

/// Why the fallback of a node was used.
enum class DegradedKind : std::uint8_t { kError, kTimeout };

/// What a body needs while it runs, and nobody afterwards: its inputs, expressions bound for this
/// request, and an arena. Lent for the time of one body.
struct BodySpace {
  std::vector<rows::RowSet> inputs;
  std::vector<std::optional<expr::BoundExpr>> own_exprs;  // bound for this request only
  std::vector<const expr::BoundExpr*> exprs;              // by param index
  tasks::NodeContext context;
  base::Arena arena;

  void reset() {
    inputs.clear();
    own_exprs.clear();
    exprs.clear();
    arena.reset();
  }
};

/// What the requests of one plan share.
/// Lifetime: outlives them.
struct RunShares {
  const PreparedPlan& plan;
  const runtime::Topology& topology;
  const RowReads& reads;
  base::LeasePool<BodySpace>& spaces;
};

/// The state of one request while its plan runs: params, request fields, the rows and counts of
/// each node.
///
/// A body writes its result into a private field of its node's slot. `publish` moves the result to
/// the field that other nodes read; it is called only if the body ended in time. So a body that
/// returns after its timeout never changes what others read.
///
/// Threading: the members for nodes are called by the thread that runs the node. The others are
/// called before the run by the thread that starts the request, and after it by the thread that
/// writes the answer.
/// Lifetime: borrows plan and topology, which own its storage; lives until the answer is out and
/// the last body returned.
class RequestRun {
 public:
  explicit RequestRun(const RunShares& shares);
  RequestRun(const RequestRun&) = delete;
  RequestRun& operator=(const RequestRun&) = delete;

  /// Swaps `request` with the request of the last use, and resolves its params for the plan.
  [[nodiscard]] std::expected<void, RankError> start(std::unique_ptr<Request>& request,
                                                     const LoopServices& services);
  /// Keeps the rows of every node until the request is over, for a trace. Call it before the run.
  void keep_all_rows() { open_rows(true); }
  /// Notes when each node starts and ends, and what it gives. Call it before the run.
  void time_nodes() { times_.open(slots_.size(), context_.clock->now()); }
  /// Notes the store calls of each node. Call it before the run.
  void log_store_calls();
  /// Clears the state of the request and keeps the buffers for the next one.
  void clear();

  /// While no request uses it: of its plan.
  RequestRun* next_spare = nullptr;

  // --- Called by the topology's bodies.
  [[nodiscard]] bool run_node(std::uint32_t index, runtime::NodeCall& call);
  [[nodiscard]] loop::Task<base::Status> run_async_node(std::uint32_t index,
                                                        runtime::NodeCall call);
  void publish(std::uint32_t index, runtime::NodeCall& call);
  [[nodiscard]] bool use_fallback(std::uint32_t index, runtime::NodeCall& call);

  // --- For the answer.
  [[nodiscard]] const PreparedPlan& plan() const { return plan_; }
  [[nodiscard]] const runtime::Topology& topology() const { return topology_; }
  [[nodiscard]] const Request& request() const { return *request_; }
  /// The rows of a node or, if it failed, of its fallback; nullptr if there are none. Of nodes that
  /// are no outputs only in requests that keep all rows: those with `explain` or a trace (D12).
  [[nodiscard]] const rows::RowSet* rows_of(std::uint32_t index) const { return rows_.find(index); }
  /// The rows that a node read from an input, in requests that keep all rows. nullptr: there are
  /// none, or the input is a request field and the node did not end in time.
  [[nodiscard]] const rows::RowSet* input_of(std::uint32_t index, std::size_t input) const;
  /// Values of `plan().plan().params` and `request_fields`, in that order.
  [[nodiscard]] std::span<const rows::Value> params() const { return params_; }
  [[nodiscard]] std::span<const rows::Value> request_fields() const { return request_fields_; }
  /// What `now()` gives in this request.
  [[nodiscard]] std::chrono::sys_time<std::chrono::milliseconds> now() const {
    return context_.now;
  }
  /// What the request sees of the graph in this process; null if it reads none.
  [[nodiscard]] const tasks::PinnedState* pinned() const { return context_.pinned.get(); }
  /// The counts of a node; nullptr if it did not end in time.
  [[nodiscard]] const tasks::TaskStats* find_stats(std::uint32_t index) const {
    return rows_.is_published(index) ? &slots_[index].stats : nullptr;
  }
  /// When nodes ran, if they are timed.
  [[nodiscard]] const NodeTimes& times() const { return times_; }
  /// The store calls of a node whose body has returned; nullptr if they are not logged.
  [[nodiscard]] const tasks::StoreCallLog* find_store_calls(std::uint32_t index) const;
  /// How many store calls had to wait for each other: the most on any path through the plan. Call
  /// it after a run that ended well.
  [[nodiscard]] std::uint64_t store_round_trips();
  [[nodiscard]] DegradedKind degraded_kind(std::uint32_t index) const {
    return slots_[index].failed.load(std::memory_order_acquire) ? DegradedKind::kError
                                                                : DegradedKind::kTimeout;
  }
  /// Why the fallback of a node was used: the error of its body, or that its time was over.
  [[nodiscard]] RankError degraded_cause(std::uint32_t index) const;

 private:
  /// What one node leaves behind until the request is over.
  struct Slot {
    tasks::TaskStats stats;
    std::optional<rows::RowSet> made;    // result of the body, not published yet
    std::unique_ptr<base::Error> error;  // of a node with a fallback whose body failed by itself
    // Whether the body failed by itself, as opposed to a timeout. Written by the body, read by the
    // thread that uses the fallback and by the answer; publishes `error`.
    std::atomic<bool> failed{false};
  };

  void open_rows(bool keeps_all);
  [[nodiscard]] std::expected<void, RankError> resolve_overrides();
  void resolve_request_fields();
  /// How many rows the scheduler takes these for.
  [[nodiscard]] std::uint32_t weight_of(const rows::RowSet& rows) const;
  [[nodiscard]] base::Status prepare_call(std::uint32_t index,
                                          BodySpace& space,
                                          const runtime::NodeCall& call);
  [[nodiscard]] base::Status gather_inputs(std::uint32_t index, BodySpace& space) const;
  [[nodiscard]] base::Status bind_exprs(std::uint32_t index, BodySpace& space) const;
  [[nodiscard]] base::Result<rows::RowSet> request_input(const plan::RequestInput& input) const;
  /// Notes that the body failed by itself.
  void note_failure(std::uint32_t index, const base::Error& error);
  /// Ends a body: keeps its rows, unless they are more than a node may give.
  [[nodiscard]] base::Status keep(std::uint32_t index,
                                  BodySpace& space,
                                  base::Result<rows::RowSet> made,
                                  const runtime::NodeCall& call);

  const PreparedPlan& plan_;
  const runtime::Topology& topology_;
  base::LeasePool<BodySpace>& spaces_;
  std::vector<Slot> slots_;
  LiveRows rows_;
  // By node, in requests that keep all rows: what its body read.
  std::vector<std::vector<rows::RowSet>> kept_inputs_;
  // Store round trips, by node. They are not in the slots because slots are large and these arrays
  // are scanned whole. The first: of the node itself, once published. The second: scratch space of
  // `store_round_trips` for the sum along the longest path to the node.
  std::vector<std::uint64_t> own_round_trips_;
  std::vector<std::uint64_t> waited_round_trips_;
  std::vector<rows::Value> params_;
  std::vector<rows::Value> request_fields_;
  std::size_t given_text_bytes_ = 0;  // of params and request fields
  bool has_overrides_ = false;
  std::unique_ptr<Request> request_ =
      std::make_unique<Request>();  // on the heap so that it can be swapped
  tasks::RequestContext context_;
  rows::RowBudget budget_;
  NodeTimes times_;
  std::vector<tasks::StoreCallLog> call_logs_;  // by node, if store calls are logged
  const LoopServices* services_ = nullptr;
};

}  // namespace millrace::rank
