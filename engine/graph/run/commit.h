#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/run/channel.h"
#include "graph/run/run_result.h"
#include "graph/run/run_tables.h"

namespace millrace::graph {

enum class CommitOutcome : std::uint8_t {
  kDone,
  kBlocked,  ///< a full edge wants the domain to wait; commit again later
  kFailed,   ///< an edge with `fail_fast` was full; the run has failed
};

/// Where a commit continues when it was blocked.
struct CommitProgress {
  bool has_begun = false;
  std::size_t publication = 0;
  std::uint32_t blocking_edge = kNoIndex;
};

/// Tells in trace and health events what putting a message into an edge did, if anybody wants to
/// know; `publisher` is the domain that it came from.
void report_push(RunTables& tables,
                 const DomainRun& publisher,
                 std::uint32_t edge,
                 const PushOutcome& outcome);

/// Applies what invocations staged: publications to channels or to the outbox of the domain, state,
/// and what the host is given.
/// Lifetime: borrows.
class Committer {
 public:
  Committer(RunTables& tables, DomainRun& domain)
      : tables_(tables), domain_(domain), cells_(tables.metrics.domains[domain.index]) {}

  /// Commits all of an invocation, without the edges inside its loop.
  [[nodiscard]] CommitOutcome commit(InvocationRecord& record, CommitProgress& progress);
  /// Commits invocations of one component from `first` on, as long as each only published to one
  /// edge that takes it at once; gives how many that were. `commit` does the others.
  [[nodiscard]] std::size_t commit_plain(InvocationList& list,
                                         std::size_t first,
                                         std::size_t count);
  /// Commits what invocations of a component staged in channels. `has_last_published`: the last of
  /// them did.
  void show_staged(ComponentRun& run, bool has_last_published);
  /// Commits what an invocation published to other members of its loop. False if one refused.
  [[nodiscard]] bool commit_inner(InvocationRecord& record);
  /// Whether all publications of a transaction find room; an edge that the domain waits on has room
  /// for all. If not, counts that on an edge that has none; if it is `fail_fast` the run has
  /// failed.
  [[nodiscard]] bool admit_all(std::span<InvocationRecord* const> records);
  /// The end of an epoch: what waits in the outbox leaves for the domains of its readers.
  void leave();
  /// Counts what an invocation published and nobody will see.
  void discard(const InvocationRecord& record);

 private:
  [[nodiscard]] CommitOutcome refuse_publication(const InvocationRecord& record,
                                                 OutputTargets& output,
                                                 CommitProgress& progress);
  [[nodiscard]] std::uint32_t find_refusing(const std::vector<std::uint32_t>& edges) const;
  [[nodiscard]] bool waits_on(std::uint32_t edge) const;
  /// Counts a publication that `edge` and perhaps others of `edges` refused.
  void refuse(OutputTargets& output, const std::vector<std::uint32_t>& edges, std::uint32_t edge);
  void tell_refusal(std::uint32_t edge);
  void fail_full(std::uint32_t component, std::uint32_t edge);
  void put(std::uint32_t edge, Message&& message, OutputTargets& output);
  void note(std::uint32_t edge, const PushOutcome& outcome, OutputTargets& output);
  void give_to_host(InvocationRecord& record);
  void keep_for_poll(ComponentRun& run, const OutputRecord& output);
  void write_state(InvocationRecord& record);
  void leave_state();
  void forget_report(ComponentRun& run) const;

  RunTables& tables_;
  DomainRun& domain_;
  DomainCells& cells_;
};

}  // namespace millrace::graph
