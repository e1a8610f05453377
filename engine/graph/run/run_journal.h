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

/// Sees everything that enters a run from outside, and everything that the run commits. A recorder
/// writes it down; a replay compares it with a record and gives the recorded answers.
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
      const std::function<std::optional<std::string>()>& read) = 0;

  /// Why the run must not go on: nothing can be written, or the replay differs.
  [[nodiscard]] virtual std::optional<std::string> problem() const = 0;
  /// Whether the recorded run was stopped from outside at this place.
  [[nodiscard]] virtual bool is_over() const = 0;
};

}  // namespace millrace::graph
