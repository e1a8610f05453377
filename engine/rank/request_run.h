#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/arena.h"
#include "base/clock.h"
#include "base/result.h"
#include "expr/bound_expr.h"
#include "loop/task.h"
#include "rank/loaded_plan.h"
#include "rank/rank_error.h"
#include "rank/request.h"
#include "rank/services.h"
#include "rows/row_set.h"
#include "rows/value.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "tasks/task_context.h"
#include "tasks/task_stats.h"

namespace millrace::rank {

/// Why a fallback stood in for a node.
enum class DegradedKind : std::uint8_t { kError, kTimeout };

/// Gives the rows with these ids, in this order.
[[nodiscard]] base::Result<rows::RowSet> rows_of_ids(std::span<const std::int64_t> ids);

/// One request on its way through a plan: values, the rows that each node made, counts.
///
/// A body writes what it made into its own slot; `publish` moves it to where consumers read, and is
/// called only if the body was in time. So a late body never touches what anyone else reads.
///
/// Threading: the members for nodes are called by whichever thread runs the node; the rest by the
/// thread that starts the request, before, and by the one that answers, after.
/// Lifetime: from `LoadedPlan::make_run`; lives until the answer is out and the last body returned.
class RequestRun {
 public:
  explicit RequestRun(LoadedPlan& plan);
  RequestRun(const RequestRun&) = delete;
  RequestRun& operator=(const RequestRun&) = delete;

  /// Takes over `request` (and gives its old one back) and resolves what depends on the plan.
  [[nodiscard]] std::expected<void, RankError> start(std::unique_ptr<Request>& request,
                                                     const LoopServices& services);
  /// Forgets the request and keeps the memory.
  void clear();

  // --- Called by the topology's bodies.
  [[nodiscard]] bool run_node(std::uint32_t index, runtime::NodeCall& call);
  [[nodiscard]] loop::Task<base::Status> run_async_node(std::uint32_t index,
                                                        runtime::NodeCall call);
  void publish(std::uint32_t index, runtime::NodeCall& call);
  [[nodiscard]] bool use_fallback(std::uint32_t index, runtime::NodeCall& call);

  // --- For the answer.
  [[nodiscard]] LoadedPlan& plan() { return plan_; }
  [[nodiscard]] const LoadedPlan& plan() const { return plan_; }
  [[nodiscard]] const Request& request() const { return *request_; }
  /// Rows of a node, those of its stand-in included; nullptr if it made none.
  [[nodiscard]] const rows::RowSet* rows_of(std::uint32_t index) const;
  /// Rows that a node read; nullptr if they are not there, or the node did not end in time and its
  /// input is a request field.
  [[nodiscard]] const rows::RowSet* input_of(std::uint32_t index, std::size_t input) const;
  /// Values of `plan().plan().params` and `request_fields`, in that order.
  [[nodiscard]] std::span<const rows::Value> params() const { return params_; }
  [[nodiscard]] std::span<const rows::Value> request_fields() const { return request_fields_; }
  /// What a node counted; nullptr if it did not end in time.
  [[nodiscard]] const tasks::TaskStats* find_stats(std::uint32_t index) const {
    return slots_[index].published ? &slots_[index].stats : nullptr;
  }
  /// Waits for stores on the longest way through the plan; of meaning once the run has ended well.
  [[nodiscard]] std::uint64_t store_round_trips();
  [[nodiscard]] DegradedKind degraded_kind(std::uint32_t index) const {
    return slots_[index].failed.load(std::memory_order_relaxed) ? DegradedKind::kError
                                                                : DegradedKind::kTimeout;
  }

 private:
  /// What one node needs while it runs, and what it leaves.
  struct Slot {
    std::vector<rows::RowSet> inputs;
    std::vector<std::optional<expr::BoundExpr>> own_exprs;  // those bound for this request
    std::vector<const expr::BoundExpr*> exprs;              // by param index
    tasks::TaskStats stats;
    tasks::NodeContext context;
    base::Arena arena;
    std::optional<rows::RowSet> made;  // by the body, private
    std::optional<rows::RowSet> rows;  // published
    bool published = false;            // rows are the body's own, so its counts may be read
    // Tells a fallback why it is taken; the body writes it, whoever falls back reads it.
    std::atomic<bool> failed{false};
  };

  [[nodiscard]] std::expected<void, RankError> resolve_overrides();
  void resolve_request_fields();
  [[nodiscard]] base::Status prepare_call(std::uint32_t index, const runtime::NodeCall& call);
  [[nodiscard]] base::Status gather_inputs(std::uint32_t index);
  [[nodiscard]] base::Status bind_exprs(std::uint32_t index);
  [[nodiscard]] base::Result<rows::RowSet> request_input(const plan::RequestInput& input) const;
  [[nodiscard]] bool keep(std::uint32_t index,
                          base::Result<rows::RowSet> made,
                          runtime::NodeCall& call);

  LoadedPlan& plan_;
  std::vector<Slot> slots_;
  // By node, apart from the slots, whose memory is not near: what it waited for once it is
  // published, and what its producers waited for, of which store_round_trips keeps the memory.
  std::vector<std::uint64_t> own_round_trips_;
  std::vector<std::uint64_t> waited_round_trips_;
  std::vector<rows::Value> params_;
  std::vector<rows::Value> request_fields_;
  bool has_overrides_ = false;
  std::unique_ptr<Request> request_ = std::make_unique<Request>();  // swapped: it is large
  tasks::RequestContext context_;
  const LoopServices* services_ = nullptr;
};

}  // namespace millrace::rank
