#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/arena.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/result.h"
#include "expr/bound_expr.h"
#include "expr/compiled_expr.h"
#include "expr/syntax/scope_fixture.h"
#include "loop/fake_loop.h"
#include "loop/loop_fixture.h"
#include "loop/stop.h"
#include "plan/compiled_plan.h"
#include "plan/param_value.h"
#include "rows/row_set.h"
#include "rows/table_fixture.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/task.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

// Runs one task without a plan: in virtual time, with params as the compiler would give them.

namespace millrace::tasks::testing {

using rows::testing::ids_of;
using rows::testing::Table;
using rows::testing::to_rows;
using rows::testing::to_table;

inline plan::ParamValue num(std::int64_t value) { return value; }
inline plan::ParamValue text(std::string value) { return value; }
inline plan::ParamValue texts(std::vector<std::string> values) { return values; }

/// A node to run, and its inputs.
struct NodeSetup {
  std::string op;
  std::map<std::string, plan::ParamValue> params = {};
  std::vector<rows::RowSet> inputs = {};
  std::vector<plan::KeyMove> taken_columns = {};
  std::vector<plan::FetchedKey> fetched_keys = {};
  std::vector<std::string> columns = {};
  plan::RowErrorRule on_row_error = plan::RowErrorRule::kNull;
};

/// A node that is running or has run, with everything that its body borrows.
struct RunningNode {
  plan::CompiledNode node;
  PreparedNode prepared;
  std::vector<std::unique_ptr<expr::BoundExpr>> bound;
  std::vector<const expr::BoundExpr*> exprs;
  std::vector<rows::RowSet> inputs;
  TaskStats stats;
  base::Arena arena;
  NodeContext context;
  loop::Outcome<base::Result<rows::RowSet>> outcome;
};

/// Expressions over the keys of `expr::sample_scope`.
inline plan::ParamValue expression(const std::string& source) {
  return expr::compile(source, expr::sample_scope()).value();
}
inline plan::ParamValue predicate(const std::string& source) {
  return expr::compile_predicate(source, expr::sample_scope()).value();
}

class TaskRig {
 public:
  TaskRig() : loop(clock) {
    MR_CHECK(register_row_tasks(registry).has_value());
    request.clock = &clock;
    request.loop = &loop;
    request.workers = &workers;
    request.scratches = &scratches;
  }

  /// Prepares the node; fails as loading a plan would.
  [[nodiscard]] base::Result<std::unique_ptr<RunningNode>> prepare(NodeSetup setup) {
    auto run = std::make_unique<RunningNode>();
    const plan::TaskSpec* spec = registry.find_task(setup.op);
    MR_CHECK(spec != nullptr, setup.op);
    run->node.id = "n";
    run->node.task = spec;
    run->node.inputs.resize(setup.inputs.size());
    run->node.taken_columns = std::move(setup.taken_columns);
    run->node.fetched_keys = std::move(setup.fetched_keys);
    run->node.columns = std::move(setup.columns);
    run->node.on_row_error = setup.on_row_error;
    for (const plan::ParamSpec& param : spec->params) {
      const auto given = setup.params.find(param.name);
      run->node.params.push_back(given == setup.params.end() ? param.fallback : given->second);
    }
    MR_TRY(run->prepared, registry.prepare(run->node, load));
    for (const plan::ParamValue& value : run->node.params) {
      const auto* compiled = std::get_if<expr::CompiledExprRef>(&value);
      run->exprs.push_back(nullptr);
      if (compiled == nullptr) continue;
      MR_TRY(expr::BoundExpr bound, expr::BoundExpr::bind(*compiled, {}));
      run->bound.push_back(std::make_unique<expr::BoundExpr>(std::move(bound)));
      run->exprs.back() = run->bound.back().get();
    }
    run->inputs = std::move(setup.inputs);
    return run;
  }

  /// Prepares and starts the node; an async one runs as far as it can without time passing.
  [[nodiscard]] base::Result<std::unique_ptr<RunningNode>> start(NodeSetup setup) {
    MR_TRY(std::unique_ptr<RunningNode> run, prepare(std::move(setup)));
    begin(*run);
    return run;
  }

  /// Lets workers and loop do what they have, in turns.
  void settle() {
    while (workers.run_ready() + loop.run_ready() > 0) {
    }
  }

  /// Runs a node that needs no time.
  [[nodiscard]] base::Result<rows::RowSet> run(NodeSetup setup) {
    MR_TRY(const std::unique_ptr<RunningNode> run, start(std::move(setup)));
    settle();
    MR_CHECK(run->outcome.is_done());
    stats = run->stats;
    return run->outcome.value();
  }

  /// Runs a node that the caller prepared, including inputs and expressions.
  [[nodiscard]] base::Result<rows::RowSet> execute(RunningNode& run) {
    begin(run);
    MR_CHECK(run.outcome.is_done());
    return run.outcome.value();
  }

  /// Rows with these ids and no other column.
  [[nodiscard]] rows::RowSet ids(const std::vector<std::int64_t>& values) {
    Table table{.names = {"id"}, .types = {rows::ColumnType::kInt64}, .rows = {}};
    for (const std::int64_t id : values) table.rows.push_back({id});
    return to_rows(table, scratch.rows());
  }
  /// Rows with an id and a float `score`.
  [[nodiscard]] rows::RowSet scored(const std::vector<std::pair<std::int64_t, double>>& values) {
    Table table{.names = {"id", "score"},
                .types = {rows::ColumnType::kInt64, rows::ColumnType::kFloat64},
                .rows = {}};
    for (const auto& [id, score] : values) table.rows.push_back({id, score});
    return to_rows(table, scratch.rows());
  }

  TaskRegistry registry;
  LoadContext load;
  base::ManualClock clock;
  loop::FakeLoop loop;
  loop::FakeLoop workers{clock};  ///< runs only when the test tells it to
  loop::StopSource stop;
  TaskScratch scratch;
  ScratchPool scratches;  ///< for work on workers
  RequestContext request;
  std::vector<EndpointClient*> clients;
  std::optional<base::TimePoint> deadline;
  TaskStats stats;  ///< stats of the last run()

 private:
  void begin(RunningNode& run) {
    request.clients = clients;
    run.context = {.node = &run.prepared,
                   .inputs = run.inputs,
                   .exprs = run.exprs,
                   .stats = &run.stats,
                   .scratch = &scratch,
                   .arena = &run.arena,
                   .stop = stop.token(),
                   .deadline = deadline};
    const TaskCall call{.inputs = run.inputs,
                        .params = run.prepared.params.get(),
                        .context = TaskContext(request, run.context)};
    loop::start(loop, run.prepared.body->run_async(call), run.outcome);
    loop.run_ready();
  }
};

}  // namespace millrace::tasks::testing
