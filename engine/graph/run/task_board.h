#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/body/graph_context.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/format/spec.h"
#include "graph/payload.h"
#include "graph/run/run_tables.h"

namespace millrace::graph {

/// Settings of the executor of a graph's tasks.
struct TaskExecutorConfig {
  std::size_t workers = 1;
  std::size_t max_inflight = 64;
  Duration task_budget{};  ///< of tasks that say nothing; 0: none
};

/// Runs tasks in virtual time: each begins when it was submitted or, if all workers are busy, when
/// the first of them is free, and takes the time that it spends.
/// Threading: not shared. Lifetime: borrows.
class TaskBoard {
 public:
  TaskBoard(RunTables& tables, const TaskExecutorConfig& config);

  /// Fails if too many are in flight, or no async edge leaves the output.
  [[nodiscard]] base::Status submit(const InvocationRecord& record,
                                    std::uint32_t output,
                                    const TaskFunction& function,
                                    Duration budget);
  /// When the next task ends.
  [[nodiscard]] std::optional<Duration> next_end() const;
  /// Puts the result of the task that ends next on its edges.
  void complete_next();
  [[nodiscard]] bool is_empty() const { return running_.empty(); }
  /// The run ends: what is in flight is cancelled.
  void cancel_all();

 private:
  struct Running {
    Duration end{};
    std::uint64_t order = 0;
    std::uint32_t component = 0;
    std::uint32_t output = 0;
    Correlation correlation = {};
    base::Result<Payload> result;
  };

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
  std::uint64_t count_ = 0;
};

}  // namespace millrace::graph
