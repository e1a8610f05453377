#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/payload.h"

namespace millrace::graph {

struct DomainRun;
struct RunTables;

/// What a task gave, and how long it took.
struct TaskAnswer {
  Duration spent{};
  base::Result<Payload> result;
};

/// A task of a run: the component that submitted it, in which of its invocations, and as which of
/// the tasks of that.
struct TaskKey {
  std::uint32_t component = 0;
  std::uint64_t call = 0;
  std::uint32_t number = 0;

  friend bool operator==(const TaskKey&, const TaskKey&) = default;
};

/// What a run on threads did with an invocation and what its replay cannot find out by itself.
struct CallFacts {
  Duration begin{};
  Duration spent{};
  std::uint32_t worker = kNoIndex;
  std::uint64_t told_at = 0;  ///< see `InvocationHead`
  bool was_cancelled = false;
  bool is_abandoned = false;
};

/// Sees everything that enters a run from outside, and everything that the run commits. A recorder
/// writes it down; a replay compares it with a record and gives the recorded answers.
///
/// In a run on threads what domains do alternates: the thread of a domain holds the lock of the run
/// for one *section* after the other, and lets go of it while bodies run. A section begins with a
/// call of `begin`, `resume`, `call` or `hand_over` for that domain, so a record has sections in
/// the order in which they happened.
/// Threading: as the implementation says; runs in virtual time call it on one thread.
class RunJournal {
 public:
  virtual ~RunJournal() = default;

  /// An epoch begins, and the arrivals of the domain become visible.
  virtual void begin(const RunTables& tables, const DomainRun& domain) = 0;
  /// An invocation is committed: nothing of it was moved yet.
  virtual void commit(const RunTables& tables, const InvocationRecord& record) = 0;
  /// An edge refused a publication.
  virtual void refuse(const RunTables& tables, const DomainRun& domain, std::uint32_t edge) = 0;
  /// An epoch ends: called before anything leaves.
  virtual void end(const RunTables& tables, const DomainRun& domain) = 0;
  /// The host gives a value to an input.
  virtual void inject(const RunTables& tables, std::uint32_t component, const Message& message) = 0;

  /// Gives what a task answers. Calls `task`, unless the answer is known already.
  [[nodiscard]] virtual TaskAnswer run_task(const RunTables& tables,
                                            const InvocationRecord& record,
                                            const std::function<TaskAnswer()>& task) = 0;
  /// Gives what something outside answers to a body, in the same way.
  [[nodiscard]] virtual base::Result<Payload> ask(
      const RunTables& tables,
      const InvocationRecord& record,
      const std::function<base::Result<Payload>()>& question) = 0;
  /// Gives a line of standard input, in the same way.
  [[nodiscard]] virtual std::optional<std::string> read_line(
      const RunTables& tables,
      const InvocationRecord& record,
      const std::function<std::optional<std::string>()>& read) = 0;

  // The rest is of runs on threads. All but `admit_task` is called with the lock held.

  /// An invocation has ended, and the domain goes on.
  virtual void call(const RunTables& tables, const InvocationRecord& record) = 0;
  /// The domain goes on behind an edge that was full.
  virtual void resume(const RunTables& tables, const DomainRun& domain) = 0;
  /// The domain goes on after outputs were handed over.
  virtual void hand_over(const RunTables& tables, const DomainRun& domain) = 0;
  /// Whether a loop of the domain sees that the run is told to stop.
  [[nodiscard]] virtual bool sees_stop(const RunTables& tables,
                                       const DomainRun& domain,
                                       bool is_requested) = 0;
  /// Whether a task is taken on.
  [[nodiscard]] virtual bool admit_task(const RunTables& tables,
                                        const TaskKey& key,
                                        bool has_room) = 0;
  /// A task has ended at that time.
  virtual void end_task(const RunTables& tables,
                        const TaskKey& key,
                        Duration at,
                        const TaskAnswer& answer) = 0;
  /// An invocation that was given up has returned.
  virtual void end_abandoned(const RunTables& tables, std::uint32_t component) = 0;

  /// Whether it replays a run on threads: then no body waits, and no task runs.
  [[nodiscard]] virtual bool replays_threads() const { return false; }
  /// What is known about an invocation before it is executed; nullptr if it was not executed, or if
  /// this is no such replay.
  [[nodiscard]] virtual const CallFacts* find_facts(const RunTables& tables,
                                                    const InvocationRecord& record) {
    static_cast<void>(tables);
    static_cast<void>(record);
    return nullptr;
  }
  /// Returns when the next section of the domain begins. Without the lock.
  virtual void await_section(const DomainRun& domain) { static_cast<void>(domain); }

  /// Why the run must not go on: nothing can be written, or the replay differs.
  [[nodiscard]] virtual std::optional<std::string> problem() const = 0;
  /// Whether the recorded run was stopped from outside at this place.
  [[nodiscard]] virtual bool is_over() const = 0;
};

}  // namespace millrace::graph
