#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "plan/compiled_plan.h"
#include "plan/task_catalog.h"
#include "tasks/callable_body.h"
#include "tasks/prepared_node.h"
#include "tasks/task.h"

namespace millrace::tasks {

/// The most inputs that a task with a variable number of inputs takes.
inline constexpr std::uint32_t kInputsMax = 64;

/// All tasks of a process: what the compiler sees of them, and their bodies.
/// Threading: any thread once registration is over. Lifetime: outlives every compiled plan.
class TaskRegistry final : public plan::TaskCatalog {
 public:
  /// Adds a task. Refuses a spec that breaks the rules of `check_task_spec`, an op or alias that is
  /// taken, and a body whose kind is not that of the spec.
  [[nodiscard]] base::Status add(plan::TaskSpec spec, std::unique_ptr<TaskBody> body);

  /// Moves all tasks of `other` into this registry; on an error, none.
  [[nodiscard]] base::Status merge(TaskRegistry other);

  [[nodiscard]] const plan::TaskSpec* find_task(std::string_view op) const override;
  [[nodiscard]] std::vector<const plan::TaskSpec*> tasks() const override;
  /// Gives the body of a task by op or alias, or nullptr.
  [[nodiscard]] const TaskBody* find_body(std::string_view op) const;

  [[nodiscard]] base::Status check_node(const plan::CompiledNode& node,
                                        const plan::CompiledPlan& plan,
                                        const plan::Registry& registry) const override;

  /// Looks up everything that a node needs, once, when a plan is loaded.
  [[nodiscard]] base::Result<PreparedNode> prepare(const plan::CompiledNode& node,
                                                   const LoadContext& load = {}) const;

 private:
  struct Entry {
    plan::TaskSpec spec;
    std::unique_ptr<TaskBody> body;
  };

  [[nodiscard]] const Entry* find(std::string_view op) const;
  [[nodiscard]] base::Status check_free(const plan::TaskSpec& spec) const;
  void insert(std::unique_ptr<Entry> entry);

  // Entries by op. Their addresses never change, because plans point at the specs.
  std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries_;
  std::map<std::string, const Entry*, std::less<>> aliases_;
};

/// Registers a plain function as a task. Its parameters say what the task takes:
///
///   Result<RowSet> f(const RowSet& rows, …, span<const RowSet> more, const P& params,
///                    TaskContext& context)
///
/// Each RowSet is an input; the span holds all further inputs, including those of node params; P
/// describes the params. Everything but the rows may be left out. `std::optional<RowSet>` is an
/// input that a plan may leave out; then the task has no params of type node. An async task is a
/// coroutine that returns `Task<Result<RowSet>>` and takes `RowSet`, `const P*` and `TaskContext`.
/// `spec` holds the rest; its params and numbers of inputs are taken from the function.
template <class Callable>
[[nodiscard]] base::Status register_task(TaskRegistry& registry,
                                         plan::TaskSpec spec,
                                         Callable callable) {
  using Body = internal::CallableBody<std::decay_t<Callable>>;
  auto body = std::make_unique<Body>(std::move(callable));
  spec.params = body->description().specs();
  spec.inputs_min = Body::kShape.input_count;
  spec.inputs_max = Body::kShape.has_rest       ? kInputsMax
                    : Body::kShape.has_optional ? spec.inputs_min + 1
                                                : spec.inputs_min;
  if constexpr (Body::kAsync) spec.kind = plan::TaskKind::kAsync;
  return registry.add(std::move(spec), std::move(body));
}

}  // namespace millrace::tasks
