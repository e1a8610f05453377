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
/// Lifetime: all of it lives until the body has returned.
struct TaskCall {
  std::span<const rows::RowSet> inputs;
  /// What `TaskBody::load_params` made for the node.
  const void* params = nullptr;
  TaskContext context;
};

/// What a task does. Tasks are rarely written against this: `register_task` makes one from a plain
/// function. Threading: any thread; has no state of its own.
class TaskBody {
 public:
  TaskBody() = default;
  virtual ~TaskBody() = default;
  TaskBody(const TaskBody&) = delete;
  TaskBody& operator=(const TaskBody&) = delete;

  [[nodiscard]] virtual bool is_async() const = 0;
  /// Turns checked params into what the body reads; called once per node when a plan is loaded.
  [[nodiscard]] virtual base::Result<std::shared_ptr<const void>> load_params(
      const plan::CompiledNode& node, const LoadContext& load) const = 0;
  /// The body of a cpu or cheap task.
  [[nodiscard]] virtual base::Result<rows::RowSet> run(const TaskCall& call) const;
  /// The body of an async task: on the loop, may suspend.
  [[nodiscard]] virtual loop::Task<base::Result<rows::RowSet>> run_async(TaskCall call) const;
};

}  // namespace millrace::tasks
