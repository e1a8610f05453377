#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "graph/body/body_services.h"
#include "graph/body/component.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/run/lifecycle.h"
#include "graph/run/run_tables.h"
#include "graph/threads/lane_team.h"
#include "graph/watch/graph_cells.h"

namespace millrace::graph {

/// Where a team executes an invocation.
struct TeamPlace {
  LaneTeam* team = nullptr;
  std::uint32_t item = 0;
};

/// A component whose invocations are executed, with what all of them need.
/// Lifetime: borrows.
struct BodySite {
  const CompiledComponent& compiled;
  ComponentRun& run;
  ComponentCells& cells;
  LaneCells& lane;
  std::span<const EdgeTarget> targets;  ///< of its first output
  std::uint32_t component = 0;
  /// Whether nothing is to be done around a call: no clock, no lock, no trace, no other thread.
  bool is_plain = false;
  /// Whether something is to be looked at after each call, however it went.
  bool is_judged = false;
};

/// What became of invocations that were executed one after another with one record.
struct DirectRun {
  std::size_t count = 0;            ///< that were executed
  bool has_last_published = false;  ///< the last one that needs no commit
  /// The last one did more than publish one value, or failed: the record holds it. It is executed
  /// and not counted.
  bool keeps_record = false;
  bool is_good = true;  ///< it did not fail the run
};

/// Executes invocations and deals with their failure.
/// Lifetime: borrows.
class BodyRunner {
 public:
  BodyRunner(RunTables& tables, BodyServices& services, Lifecycle& lifecycle)
      : tables_(tables), services_(services), lifecycle_(lifecycle) {}

  /// Calls the body at that time of the domain, on the domain's thread, which holds the lock and
  /// lets go of it meanwhile. In wall time it begins now.
  void execute(InvocationRecord& record, DomainRun& domain, Duration begin);
  /// What the invocations of a component have in common.
  [[nodiscard]] BodySite site_of(std::uint32_t component, const DomainRun& domain) const;
  /// The same as `execute` and `settle`, for several invocations of one site: `count` is called
  /// after them with their number and the last one.
  [[nodiscard]] bool run(InvocationRecord& record, const BodySite& site, DomainRun& domain);
  /// Executes up to `count` invocations of a plain trigger that has begun taking, one after another
  /// with one fresh record, which is fresh again afterwards unless it is kept. What they publish is
  /// staged in the channels at once. Stops when a channel wants more than that, or after an
  /// invocation that did.
  [[nodiscard]] DirectRun run_directly(InvocationRecord& record,
                                       const BodySite& site,
                                       DomainRun& domain,
                                       std::size_t count);
  /// The same for the one invocation in an epoch of a free-running component. Executes nothing if
  /// a channel wants more than to keep what is published, or the component is finished.
  [[nodiscard]] DirectRun run_freely(InvocationRecord& record,
                                     const BodySite& site,
                                     DomainRun& domain);
  void count(const BodySite& site, std::uint64_t number, const InvocationRecord& last);
  /// Numbers an invocation that starts a correlation; on the thread of the domain.
  void prepare(InvocationRecord& record, const DomainRun& domain);
  /// Calls the body of a prepared invocation on a worker of a team, as its item. Whoever calls must
  /// not hold the lock. False: the invocation was given up; then nothing of the run may be touched.
  [[nodiscard]] bool call_on_worker(InvocationRecord& record,
                                    DomainRun& domain,
                                    Duration begin,
                                    TeamPlace place);
  /// Calls the body of a prepared invocation again, whose facts are known. Without the lock.
  void call_again(InvocationRecord& record, DomainRun& domain);
  /// Starts a thread for invocations of the domain's own thread that may be given up.
  void start_apart_thread(std::function<void(std::uint32_t worker)> on_thread_start);
  void stop_apart_thread() { apart_.reset(); }
  /// Counts what a call left behind, on the thread of the domain. False if it failed and that fails
  /// the run; `fail_run` then notes why, unless an earlier one of the stage has failed too.
  [[nodiscard]] bool settle(InvocationRecord& record, DomainRun& domain) {
    return settle(record, site_of(record.component, domain), domain);
  }
  [[nodiscard]] bool settle(InvocationRecord& record, const BodySite& site, DomainRun& domain);
  /// What `settle` does besides counting.
  [[nodiscard]] bool judge(InvocationRecord& record, const BodySite& site, DomainRun& domain) {
    const auto spent = static_cast<double>(record.spent.count());
    if (spent != site.cells.last_duration_ns.value()) [[unlikely]] {
      site.cells.last_duration_ns.set(spent);
      if (spent > site.cells.max_duration_ns.value()) site.cells.max_duration_ns.set(spent);
    }
    const bool is_quiet = !record.wants_finish && !record.was_cancelled && !record.error;
    if (is_quiet && !site.is_judged) [[likely]]
      return true;
    return judge_slowly(record, site, domain);
  }

  /// Makes the new instance of a component whose backoff is over; false if that fails the run.
  [[nodiscard]] bool bring_back(std::uint32_t component, const DomainRun& domain);

  /// Notes why an invocation failed the run.
  void fail_run(const InvocationRecord& record);

 private:
  class ApartWork;

  void call_outside(InvocationRecord& record, DomainRun& domain);
  void call(InvocationRecord& record, DomainRun& domain);
  void execute_again(InvocationRecord& record, DomainRun& domain);
  void call_body(InvocationRecord& record, Component& instance);
  static void mark_abandoned(InvocationRecord& record, Duration limit);
  void start(InvocationRecord& record, ComponentRun& run, const DomainRun& domain);
  static void begin_directly(InvocationRecord& record,
                             const BodySite& site,
                             const DomainRun& domain);
  void end_directly(InvocationRecord& record,
                    const BodySite& site,
                    DomainRun& domain,
                    DirectRun& result);
  [[nodiscard]] bool judge_slowly(InvocationRecord& record,
                                  const BodySite& site,
                                  DomainRun& domain);
  static void begin_call(InvocationRecord& record, Duration begin);
  [[nodiscard]] bool call_detached(InvocationRecord& record, DomainRun& domain, TeamPlace place);
  void give_up(InvocationRecord& record, TeamPlace place, std::shared_ptr<DetachedCall> call);
  [[nodiscard]] bool can_be_given_up(const InvocationRecord& record, const DomainRun& domain) const;
  void trace_begin(const InvocationRecord& record, const DomainRun& domain);
  void trace_execution(const InvocationRecord& record, const DomainRun& domain);
  void check_budget(InvocationRecord& record, DomainRun& domain);
  void note_age(const InvocationRecord& record, const DomainRun& domain);
  [[nodiscard]] bool apply_error_policy(InvocationRecord& record, DomainRun& domain);
  /// False: it failed too often for a new instance.
  [[nodiscard]] bool plan_restart(const InvocationRecord& record);

  RunTables& tables_;
  BodyServices& services_;
  Lifecycle& lifecycle_;
  std::unique_ptr<LaneTeam> apart_;  // of one worker
};

}  // namespace millrace::graph
