#pragma once

#include <cstdint>

#include "graph/body/body_services.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/run/lifecycle.h"
#include "graph/run/run_tables.h"

namespace millrace::graph {

/// Executes one invocation and deals with its failure.
/// Lifetime: borrows.
class BodyRunner {
 public:
  BodyRunner(RunTables& tables, BodyServices& services, Lifecycle& lifecycle)
      : tables_(tables), services_(services), lifecycle_(lifecycle) {}

  /// Calls the body at that time of the domain.
  void execute(InvocationRecord& record, DomainRun& domain, Duration begin);
  /// Counts what a call left behind, on the thread of the domain. False if it failed and that fails
  /// the run; `fail_run` then notes why, unless an earlier one of the stage has failed too.
  [[nodiscard]] bool settle(InvocationRecord& record, DomainRun& domain);

  /// Makes the new instance of a component whose backoff is over; false if that fails the run.
  [[nodiscard]] bool bring_back(std::uint32_t component);

  /// Notes why an invocation failed the run.
  void fail_run(const InvocationRecord& record);

 private:
  void trace_execution(const InvocationRecord& record, const DomainRun& domain);
  void check_budget(InvocationRecord& record, DomainRun& domain);
  void note_age(const InvocationRecord& record, const DomainRun& domain);
  [[nodiscard]] bool apply_error_policy(InvocationRecord& record, DomainRun& domain);
  [[nodiscard]] bool restart(InvocationRecord& record, DomainRun& domain);

  RunTables& tables_;
  BodyServices& services_;
  Lifecycle& lifecycle_;
};

}  // namespace millrace::graph
