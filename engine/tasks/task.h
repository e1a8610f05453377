#pragma once

#include <memory>
#include <span>

#include "base/result.h"
#include "loop/task.h"
#include "plan/compiled_plan.h"
#include "rows/row_set.h"
#include "tasks/prepared_node.h"
#include "tasks/task_context.h"

namespace millrace::tasks {

/// One execution of a body.
/// Lifetime: everything it refers to lives until the body has returned.
struct TaskCall {
  std::span<const rows::RowSet> inputs;
  /// The result of `TaskBody::load_params` for the node.
  const void* params = nullptr;
  TaskContext context;
};

/// What a task does. Tasks rarely implement this class: `register_task` makes a body from a plain
/// function. Threading: any thread; a body has no state.
class TaskBody {
 public:
  TaskBody() = default;
  virtual ~TaskBody() = default;
  TaskBody(const TaskBody&) = delete;
  TaskBody& operator=(const TaskBody&) = delete;

  [[nodiscard]] virtual bool is_async() const = 0;
  /// Converts checked params into the form that the body reads; called once per node when a plan is
  /// loaded.
  [[nodiscard]] virtual base::Result<std::shared_ptr<const void>> load_params(
      const plan::CompiledNode& node, const LoadContext& load) const = 0;
  /// The body of a cpu or cheap task.
  [[nodiscard]] virtual base::Result<rows::RowSet> run(const TaskCall& call) const;
  /// The body of an async task: runs on the loop and may suspend.
  [[nodiscard]] virtual loop::Task<base::Result<rows::RowSet>> run_async(TaskCall call) const;
};

}  // namespace millrace::tasks
