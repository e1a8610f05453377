#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "ledger.h"
#include "loop/fake_loop.h"
#include "loop/task.h"
#include "runtime/admission.h"
#include "runtime/node_call.h"
#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"
#include "runtime/worker.h"
#include "runtime/worker_pool.h"
#include "scenario.h"
#include "trace/trace_collector.h"
#include "trace/trace_record.h"
#include "trace/trace_sink.h"

// The real pool, workers, lanes and runs on one thread in virtual time. The world plays the
// threads: each turn it draws one of all that could happen now (a worker looks for work, a body
// ends, the loop runs one job, a parked worker wakes, somebody submits or cancels) and lets it
// happen. When nothing can, time moves to the next thing that will.

namespace millrace::sim {

/// Threading: not shared. Lifetime: borrows the scenario. A world that found a violation cannot be
/// taken down in order: leave it to the end of the process.
class SimWorld {
 public:
  SimWorld(const Scenario& scenario, std::uint64_t seed);
  ~SimWorld();
  SimWorld(const SimWorld&) = delete;
  SimWorld& operator=(const SimWorld&) = delete;

  /// Lets everything happen. Gives the first statement that was broken, if any.
  [[nodiscard]] std::optional<Violation> run();

  /// A digest of everything that happened, in order.
  [[nodiscard]] std::uint64_t log_hash() const { return log_hash_; }
  /// What each run answered, apart from when; 0 for runs of which timing decides whether they came
  /// about.
  [[nodiscard]] std::vector<std::uint64_t> results() const;
  /// What each run that ended well wrote to its trace, apart from when, in which order and by which
  /// way nodes came to their threads; 0 for runs that were not traced.
  [[nodiscard]] std::vector<std::uint64_t> trace_digests() const;
  /// How long a run that has answered took to.
  [[nodiscard]] base::Duration latency(std::uint32_t run) const { return ledgers_[run]->latency(); }
  [[nodiscard]] runtime::RunOutcome outcome(std::uint32_t run) const {
    return ledgers_[run]->outcome();
  }
  /// Nodes that ran, over all runs.
  [[nodiscard]] std::uint64_t body_count() const { return body_count_; }

 private:
  enum class DriverState : std::uint8_t { kAwake, kInBody, kParked };
  /// A body that waits for a run inside it.
  struct OuterFrame {
    RunLedger* run = nullptr;
    std::uint32_t node = runtime::kNoNode;
    std::uint32_t inner_run = 0;
    runtime::Worker::Suspended strand;
  };
  /// A worker and what its thread would be doing.
  struct Driver {
    runtime::Worker* worker = nullptr;
    DriverState state = DriverState::kAwake;
    std::optional<base::TimePoint> until;  ///< next look, end of the body, end of the park
    base::TimePoint since{};               ///< begin of the body, or of the time without one
    RunLedger* run = nullptr;              ///< whose body it is in
    std::uint32_t node = runtime::kNoNode;
    std::optional<std::uint32_t> inner_run;  ///< that the body will execute
    std::vector<OuterFrame> outer;           ///< bodies below, the last one began last
    bool was_woken = false;                  ///< and has found no work since
    std::uint32_t passed_over = 0;           ///< dispatches since the lowest class had its turn
    std::int64_t kept_waiting_ns = 0;        ///< of what its strand ran while others waited
  };
  /// What a worker could take and what it has taken, by class.
  struct ClassView {
    std::array<bool, runtime::kPriorityCount> ready{};
    std::array<std::uint64_t, runtime::kPriorityCount> taken{};
    std::uint64_t guard_count = 0;
    std::array<bool, runtime::kPriorityCount> runs_wait{};  ///< runs, hand-overs and jobs
    bool is_in_strand = false;
  };
  struct NodeClosure {
    SimWorld* world = nullptr;
    std::uint32_t node = 0;
  };
  struct Flow {
    explicit Flow(std::shared_ptr<const runtime::Topology> flat,
                  const runtime::CostSettings& settings)
        : topology(std::move(flat)), costs(*topology, settings), runs(*topology, costs) {}
    std::shared_ptr<const runtime::Topology> topology;
    runtime::CostModel costs;
    runtime::RunPool runs;
    trace::TraceTopologyId trace_id;
  };
  struct Event {
    base::TimePoint when;
    std::uint32_t run = 0;
    bool is_cancel = false;
  };
  class TraceJudge final : public trace::TraceSink {
   public:
    explicit TraceJudge(SimWorld& world) : world_(world) {}
    void consume(const trace::RunTrace& trace) override;

   private:
    SimWorld& world_;
  };

  // sim_setup.cpp
  void build_dags();
  void build_dag(const DagPlan& plan);
  static bool run_body(const void* closure, runtime::NodeCall& call);
  [[nodiscard]] bool spend_on_loop(const RunLedger& run, runtime::NodeCall& call);
  static loop::Task<base::Status> run_async_body(const void* closure, runtime::NodeCall call);
  static bool commit_body(const void* closure, runtime::NodeCall& call);
  static bool supply_fallback(const void* closure, runtime::NodeCall& call);

  // sim_world.cpp: time and chance.
  [[nodiscard]] bool take_turn();
  void turn_loop();
  [[nodiscard]] std::optional<base::TimePoint> next_of_loop() const;
  [[nodiscard]] bool advance_clock();
  void judge_idleness();
  void judge_hostages();
  void step(Driver& driver);
  void look_for_work(Driver& driver);
  void start_body(Driver& driver);
  void end_body(Driver& driver);
  void wake(Driver& driver);
  [[nodiscard]] bool is_ready(const Driver& driver) const;
  [[nodiscard]] bool is_parked(const Driver& driver) const;
  [[nodiscard]] bool drop_handles();
  void judge_end();

  // sim_runs.cpp: runs from submission to release.
  void happen(const Event& event);
  void arrive(std::uint32_t run);
  [[nodiscard]] bool ask(std::uint32_t run);
  void submit(std::uint32_t run, runtime::AdmissionPermit permit = {});
  void answered(runtime::Run& run, RunLedger& ledger);
  void released(runtime::Run& run, RunLedger& ledger);
  void refuse(std::uint32_t run);
  void ask_for_waiting();
  void judge_admission();
  [[nodiscard]] runtime::RunOptions options_of(std::uint32_t run);
  [[nodiscard]] runtime::RunObserver observer_of(RunLedger& ledger);
  void plan_cancellation(std::uint32_t run);

  // sim_inner_runs.cpp: bodies that execute runs.
  [[nodiscard]] std::optional<std::uint32_t> find_inner_run(const RunLedger& outer,
                                                            std::uint32_t node) const;
  [[nodiscard]] std::uint32_t index_of(const RunLedger& ledger) const;
  void begin_inner_run(Driver& driver);
  [[nodiscard]] bool may_come_back(const Driver& driver) const;
  void come_back(Driver& driver);
  void note_inner_answers();
  [[nodiscard]] bool is_decided(std::uint32_t run) const;

  // sim_classes.cpp: whose turn it is.
  [[nodiscard]] ClassView view_of(const Driver& driver) const;
  void judge_classes(Driver& driver, const ClassView& before);
  void judge_turn(Driver& driver, const ClassView& before, const ClassView& after);

  [[nodiscard]] Moment moment() const { return {clock_.now(), scenario_.is_loop_exact()}; }
  void log(std::uint64_t what) {
    log_hash_ =
        mix(log_hash_, what ^ static_cast<std::uint64_t>(clock_.now().time_since_epoch().count()));
  }

  const Scenario& scenario_;
  base::SplitMix64 random_;
  base::ManualClock clock_;
  Judge judge_;
  std::uint64_t log_hash_ = 0;
  std::uint64_t body_count_ = 0;
  // The body that the turn under way started on a worker.
  RunLedger* started_run_ = nullptr;
  std::uint32_t started_node_ = runtime::kNoNode;
  std::uint64_t handle_drops_ = 0;
  bool in_whole_strand_ = false;  // the turn runs bodies to their end

  std::vector<std::vector<NodeClosure>> closures_;
  TraceJudge trace_judge_{*this};
  std::unique_ptr<trace::TraceCollector> trace_;
  std::vector<std::unique_ptr<Flow>> dags_;
  std::vector<Event> events_;  // to come, the next one last
  loop::FakeLoop loop_{clock_};
  base::TimePoint loop_stalled_until_{};
  std::unique_ptr<runtime::WorkerPool> pool_;
  std::unique_ptr<runtime::Admission> admission_;
  std::vector<base::TimePoint> admit_by_;  // by run
  std::vector<std::uint32_t> waiting_;     // refused runs whose owners ask again, in order
  std::uint64_t asked_count_ = 0;
  std::uint64_t admitted_count_ = 0;
  std::vector<std::unique_ptr<RunLedger>> ledgers_;
  std::vector<std::uint64_t> trace_digests_;
  std::vector<std::uint32_t> open_inner_runs_;  // begun and not yet known to have answered
  std::vector<Driver> drivers_;
  std::vector<std::uint32_t> choices_;  // scratch
};

}  // namespace millrace::sim
