#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/topology/topology.h"
#include "scenario.h"

namespace millrace::sim {

/// A statement of the scheduler's contract that did not hold.
struct Violation {
  std::string statement;
  std::string message;
};

/// Keeps the first violation of a world.
class Judge {
 public:
  void expect(bool holds, const char* statement, const char* message, std::uint64_t detail = 0);
  [[nodiscard]] bool is_content() const { return !violation_; }
  [[nodiscard]] const std::optional<Violation>& violation() const { return violation_; }

 private:
  std::optional<Violation> violation_;
};

/// What the world can tell about itself when something happens.
struct Moment {
  base::TimePoint now;
  bool is_exact = true;  ///< nothing has held the loop up, so clocks fire when they are due
};

/// What happened to one run, told by its bodies and its driver, and judged as it happens.
/// Threading: not shared.
class RunLedger {
 public:
  RunLedger(const RunPlan& plan,
            const DagPlan& dag,
            const runtime::Topology& topology,
            Judge& judge);

  // --- The run as a whole.
  void submitted(Moment at);
  void cancelled(Moment at);
  void answered(const runtime::Run& run, Moment at);
  void released(const runtime::Run& run, Moment at, std::optional<base::Duration> slack);

  // --- Its nodes.
  void body_started(std::uint32_t node, bool stop_requested, Moment at);
  /// The body has done its work; whether that counts is not decided yet.
  void body_finished(std::uint32_t node, Moment at);
  /// The engine has dealt with what the body did.
  void body_settled(std::uint32_t node, Moment at);
  void committed(std::uint32_t node, Moment at);
  void fallback_value_supplied(std::uint32_t node, Moment at);

  [[nodiscard]] bool fails(std::uint32_t node) const;
  [[nodiscard]] base::Duration cost(std::uint32_t node) const;
  /// Rows that the body of a node tells of.
  [[nodiscard]] std::uint32_t row_count(std::uint32_t node) const;
  [[nodiscard]] bool is_submitted() const { return submitted_at_.has_value(); }
  [[nodiscard]] bool is_answered() const { return answered_at_.has_value(); }
  [[nodiscard]] bool is_released() const { return is_released_; }
  [[nodiscard]] const RunPlan& plan() const { return plan_; }
  [[nodiscard]] const DagPlan& dag() const { return dag_; }
  [[nodiscard]] const runtime::Topology& topology() const { return topology_; }
  [[nodiscard]] std::optional<base::TimePoint> deadline() const { return deadline_; }
  /// From submission to answer; the run must have answered.
  [[nodiscard]] base::Duration latency() const;
  [[nodiscard]] runtime::RunOutcome outcome() const { return outcome_; }
  /// What must not depend on how the run was scheduled: outcome, error, and values if all went
  /// well.
  [[nodiscard]] std::uint64_t result_hash() const { return result_hash_; }

  // Filled in by the world.
  runtime::RunHandle handle;
  const runtime::Run* run = nullptr;
  std::unique_ptr<runtime::Run> inner_run;  ///< of a run that a body waits for
  bool is_refused = false;

 private:
  struct NodeEntry {
    std::uint32_t start_count = 0;
    bool is_finished = false;
    bool is_settled = false;
    bool is_published = false;
    bool has_fallback_value = false;
    base::TimePoint started_at{};
    base::TimePoint finished_at{};
    std::uint64_t value = 0;
  };

  [[nodiscard]] bool is_complete(std::uint32_t node) const;
  [[nodiscard]] bool may_have_fallen_back(std::uint32_t node) const;
  [[nodiscard]] bool may_have_been_activated(std::uint32_t lazy) const;
  [[nodiscard]] std::uint64_t value_of(std::uint32_t node) const;
  [[nodiscard]] std::uint64_t make_value(std::uint32_t node) const;
  void publish(std::uint32_t node);
  void judge_ok();
  [[nodiscard]] std::vector<bool> nodes_needed() const;
  void judge_error(const base::Error& error, Moment at);
  void judge_time_of_answer(Moment at);
  void judge_late_count(const runtime::Run& run);

  const RunPlan& plan_;
  const DagPlan& dag_;
  const runtime::Topology& topology_;
  Judge& judge_;
  std::vector<NodeEntry> nodes_;
  std::optional<base::TimePoint> submitted_at_;
  std::optional<base::TimePoint> deadline_;
  std::optional<base::TimePoint> cancelled_at_;
  std::optional<base::TimePoint> answered_at_;
  std::optional<std::uint32_t> late_node_;  ///< published after its timeout
  base::TimePoint last_body_end_{};
  std::uint32_t started_count_ = 0;
  std::uint32_t in_progress_ = 0;
  bool is_released_ = false;
  runtime::RunOutcome outcome_ = runtime::RunOutcome::kOpen;
  std::uint64_t result_hash_ = 0;
};

}  // namespace millrace::sim
