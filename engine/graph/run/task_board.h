#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "graph/body/graph_context.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/format/spec.h"
#include "graph/payload.h"
#include "graph/run/run_journal.h"
#include "graph/run/run_tables.h"
#include "graph/threads/task_team.h"

namespace millrace::graph {

/// Settings of the executor of a graph's tasks.
struct TaskExecutorConfig {
  std::size_t workers = 1;
  std::size_t max_inflight = 64;
  Duration task_budget{};  ///< of tasks that say nothing; 0: none
};

/// The tasks of a run. In virtual time each begins when it was submitted or, if all workers are
/// busy, when the first of them is free, and takes the time that it spends. In wall time a team of
/// threads runs them, and nobody waits for them.
/// Threading: whoever holds the lock of the run, but for `cancel_all`. Lifetime: borrows.
class TaskBoard {
 public:
  TaskBoard(RunTables& tables, const TaskExecutorConfig& config);

  /// Fails if too many are in flight, or no async edge leaves the output.
  [[nodiscard]] base::Status submit(const InvocationRecord& record,
                                    std::uint32_t output,
                                    TaskFunction function,
                                    Duration budget);
  /// When the next task ends, in virtual time.
  [[nodiscard]] std::optional<Duration> next_end() const;
  /// Puts the result of the task that ends next on its edges.
  void complete_next();
  /// Whether a task of a run that is replayed is in flight.
  [[nodiscard]] bool has(const TaskKey& key) const;
  /// Ends a task of a run that is replayed; false if it is not in flight.
  [[nodiscard]] bool end_again(const TaskKey& key, Duration at, TaskAnswer answer);
  [[nodiscard]] bool is_empty() const { return running_.empty() && in_team_.empty(); }
  /// The run ends: what is in flight is cancelled, and what the team is doing is awaited. Without
  /// the lock of the run.
  void cancel_all();
  /// Called with the lock of the run held whenever the team has completed a task.
  void set_on_completed(std::function<void()> on_completed) {
    on_completed_ = std::move(on_completed);
  }

 private:
  struct Running {
    Duration end{};
    std::uint64_t order = 0;
    std::uint32_t component = 0;
    std::uint32_t output = 0;
    Correlation correlation = {};
    base::Result<Payload> result;
  };
  /// A task that a thread runs, or will.
  struct InTeam {
    TaskKey key = {};
    std::uint32_t output = 0;
    Correlation correlation = {};
    Duration limit{};
  };

  void run_now(Running task,
               const InvocationRecord& record,
               const TaskFunction& function,
               Duration limit);
  void give_to_team(const Running& task, const TaskKey& key, TaskFunction function, Duration limit);
  /// A thread has run a task; it took as long on the machine's clock.
  void end_in_team(std::uint64_t order, TaskAnswer answer);
  /// A task of the team has ended; it is no longer in `in_team_`.
  void end_task(std::uint64_t order, const InTeam& task, Duration at, TaskAnswer answer);
  void complete(Running task);
  void report_overrun(std::uint32_t component, Duration at);
  void deliver(Running& task, DomainRun& domain);
  /// Whether an edge refuses a result. Counts it on all that do; one that is `fail_fast` ends the
  /// run.
  [[nodiscard]] bool is_refused(const std::vector<std::uint32_t>& edges,
                                std::uint32_t component,
                                DomainRun& domain);
  [[nodiscard]] std::vector<Running>::iterator next();
  void show_count();

  RunTables& tables_;
  const TaskExecutorConfig config_;
  std::vector<Duration> free_at_;
  std::vector<Running> running_;
  std::map<std::uint64_t, InTeam> in_team_;  // by order
  std::uint64_t count_ = 0;
  std::function<void()> on_completed_;
  TaskTeam team_;  // in wall time; declared last so that its threads end first
};

}  // namespace millrace::graph
