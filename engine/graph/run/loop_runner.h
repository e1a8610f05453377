#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "graph/body/invocation_record.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/spec.h"
#include "graph/run/body_runner.h"
#include "graph/run/commit.h"
#include "graph/run/run_tables.h"
#include "graph/run/trigger.h"

namespace millrace::graph {

/// Runs the iterations of one composite loop. What members publish to each other is committed after
/// each member; what they publish to others is kept until the domain commits the stage.
///
/// How a loop ends, in the order in which it is looked at:
/// - after an iteration: single_pass, component_report, residual_threshold, stable_state
/// (converged),
///   budget_overrun (not converged);
/// - before the next: max_iterations, cancelled (not converged);
/// - quiescent (converged): no member had anything to do; such an iteration is not counted.
///
/// Threading: the thread of the domain. Lifetime: borrows.
class LoopRunner {
 public:
  LoopRunner(RunTables& tables, DomainRun& domain, BodyRunner& bodies, std::uint32_t region);

  /// Runs the loop; the domain's time moves on. False if a member failed the run.
  [[nodiscard]] bool run(TriggerNotes& notes);
  /// What the loop publishes to others: commit all of it, in order.
  [[nodiscard]] const std::vector<InvocationRecord*>& results() const { return results_; }
  [[nodiscard]] bool has_run() const { return iteration_ > 0; }
  /// Whether a refusal of one publication discards all.
  [[nodiscard]] bool is_transaction() const {
    return policy_.type == CompositeLoopType::kTransaction;
  }
  void discard(Committer& committer);
  /// The invocation that failed the run.
  [[nodiscard]] const InvocationRecord* failed() const { return failed_; }

 private:
  enum class Step : std::uint8_t { kRan, kIdle, kFailed };

  [[nodiscard]] Step run_iteration(TriggerNotes& notes);
  [[nodiscard]] Step run_member(std::uint32_t member, TriggerNotes& notes);
  /// Removes the invocations of a member from that one on: it has failed, or hangs, and takes no
  /// more.
  void drop_rest(std::size_t first);
  [[nodiscard]] std::string_view reason_after_iteration(Duration began);
  [[nodiscard]] bool is_stable();
  [[nodiscard]] bool sees_stop() const;
  [[nodiscard]] bool end(std::string_view reason, Duration began);
  void gather_results();
  void trace_iteration(Duration began);

  RunTables& tables_;
  DomainRun& domain_;
  BodyRunner& bodies_;
  Committer committer_;
  std::uint32_t loop_;
  const LoopPolicySpec& policy_;
  std::vector<std::uint32_t> members_;
  std::vector<Channel*> inner_;
  InvocationList current_;
  InvocationList last_;
  std::vector<InvocationRecord*> results_;
  std::int64_t iteration_ = 0;
  bool reported_ = false;
  bool is_tainted_ = false;  // of a transaction: a member failed or an edge refused
  const InvocationRecord* failed_ = nullptr;
};

}  // namespace millrace::graph
