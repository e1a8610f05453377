#include "bench/offload/row_tasks.h"

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>

#include "base/arena.h"
#include "base/clock.h"
#include "base/format.h"
#include "plan/compiler.h"
#include "plan/registry/registry.h"
#include "rank/loaded_plan.h"
#include "rows/row_set.h"
#include "support/figures.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/scratch_pool.h"
#include "tasks/task.h"
#include "tasks/task_registry.h"

namespace millrace::bench {
namespace {

struct TaskCase {
  std::string_view op;
  std::string_view params;
  bool has_rhs = false;  // the other side is as large as this one
};

constexpr TaskCase kCases[] = {
    {"vm", R"({"out_key": "boost", "expr": "score * 0.5 + id * 0.1"})"},
    {"filter", R"({"pred": "score >= 500.0"})"},
    {"sort", R"({"key": "score", "order": "desc"})"},
    {"top_k", R"({"order": [{"key": "score", "order": "desc"}], "count": 50})"},
    {"take", R"({"count": 50})"},
    {"skip", R"({"count": 1})"},
    {"concat", R"({"rhs": "other"})", true},
    {"dedupe", R"({"by": ["boost"]})"},
    {"join", R"({"rhs": "other", "by": ["id"], "kind": "semi"})", true},
    {"group_limit", R"({"by": ["boost"], "count": 3})"},
    {"interleave", R"({"rhs": "other"})", true},
    {"diversify", R"({"by": ["boost"]})"},
    {"sample", R"({"count": 50})"},
};

std::string plan_of(const TaskCase& task, std::int64_t rows) {
  const auto branch = [&](std::string_view suffix, std::string_view last) {
    return base::format(
        R"({{"id": "src{0}", "op": "fixed_source", "inputs": [], "params": {{"row_count": {2}}}}},
           {{"id": "group{0}", "op": "vm", "inputs": ["src{0}"],
             "params": {{"out_key": "boost", "expr": "((id * 31) % 97) * 1.0"}}}},
           {{"id": "{1}", "op": "vm", "inputs": ["group{0}"],
             "params": {{"out_key": "score", "expr": "((id * 7919) % 1000) * 1.0"}}}},)",
        suffix,
        last,
        rows);
  };
  return base::format(
      R"({{"schema_version": 1, "name": "offload", "nodes": [{}{}
          {{"id": "last", "op": "{}", "inputs": ["scored"], "params": {}}}],
          "outputs": ["last"], "output_keys": ["id", "score", "boost"]}})",
      branch("", "scored"),
      task.has_rhs ? branch("2", "other") : "",
      task.op,
      task.params);
}

base::Result<plan::Registry> read_names() {
  const auto read = [](const char* name) {
    std::ifstream file(std::string(MILLRACE_SOURCE_DIR "/registry/") + name);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  const std::string keys = read("keys.toml");
  const std::string params = read("params.toml");
  const std::string endpoints = read("endpoints.toml");
  auto names = plan::read_registry({.keys = keys, .params = params, .endpoints = endpoints},
                                   plan::Environment::kDev);
  if (names) return *std::move(names);
  return base::fail(base::ErrorCode::kUnavailable, names.error().to_text());
}

// Runs nodes of a plan one by one.
class Bodies {
 public:
  explicit Bodies(rank::LoadedPlan& plan) : plan_(plan) {}

  /// Runs all nodes but the last, so that the inputs of the last exist.
  base::Status run_inputs() {
    const std::size_t count = plan_.nodes().size();
    for (std::size_t index = 0; index + 1 < count; ++index) {
      MR_TRY(rows::RowSet rows, run(index));
      results_.push_back(std::move(rows));
    }
    return {};
  }
  base::Result<rows::RowSet> run_last() { return run(plan_.nodes().size() - 1); }

 private:
  base::Result<rows::RowSet> run(std::size_t index) {
    const rank::PlanNode& node = plan_.nodes()[index];
    inputs_.clear();
    for (const plan::PlanInput& input : node.prepared.node->inputs)
      inputs_.push_back(results_[std::get<plan::NodeInput>(input).node]);
    exprs_.assign(node.prepared.node->params.size(), nullptr);
    for (const rank::PlanExpr& expr : node.exprs) exprs_[expr.param_index] = &*expr.bound;
    const tasks::NodeContext context{.node = &node.prepared,
                                     .inputs = inputs_,
                                     .exprs = exprs_,
                                     .stats = &stats_,
                                     .scratch = &scratch_,
                                     .arena = &arena_};
    return node.prepared.body->run({.inputs = inputs_,
                                    .params = node.prepared.params.get(),
                                    .context = tasks::TaskContext(request_, context)});
  }

  rank::LoadedPlan& plan_;
  tasks::RequestContext request_;
  tasks::TaskStats stats_;
  tasks::TaskScratch scratch_;
  base::Arena arena_;
  std::vector<rows::RowSet> results_;
  std::vector<rows::RowSet> inputs_;
  std::vector<const expr::BoundExpr*> exprs_;
};

base::Result<double> time_body(Bodies& bodies, double sample_ms) {
  using Nanoseconds = std::chrono::duration<double, std::nano>;
  std::vector<double> samples;
  for (int sample = 0; sample < 5; ++sample) {
    std::int64_t count = 0;
    const base::TimePoint start = base::steady_clock().now();
    double spent = 0;
    do {
      MR_TRY(const rows::RowSet rows, bodies.run_last());
      ++count;
      spent = Nanoseconds(base::steady_clock().now() - start).count();
    } while (spent < sample_ms * 1e6);
    samples.push_back(spent / static_cast<double>(count));
  }
  return median(samples);
}

}  // namespace

double TaskTimes::rows_worth(double price_ns) const {
  if (ns.empty() || ns.front() >= price_ns) return 0;
  for (std::size_t index = 1; index < ns.size(); ++index) {
    if (ns[index] < price_ns) continue;
    const double share = (price_ns - ns[index - 1]) / (ns[index] - ns[index - 1]);
    const auto low = static_cast<double>(rows[index - 1]);
    return low + share * (static_cast<double>(rows[index]) - low);
  }
  return -1;
}

base::Result<std::vector<TaskTimes>> measure_row_tasks(const std::vector<std::int64_t>& sizes,
                                                       double sample_ms) {
  MR_TRY(const plan::Registry names, read_names());
  tasks::TaskRegistry tasks;
  MR_TRY_STATUS(tasks::register_row_tasks(tasks));
  std::vector<TaskTimes> all;
  for (const TaskCase& task : kCases) {
    TaskTimes times{.op = std::string(task.op), .rows = {}, .ns = {}};
    for (const std::int64_t size : sizes) {
      const auto compiled = plan::compile_plan(
          plan_of(task, size), names, tasks, plan::CompileOptions::without_passes());
      if (!compiled) return base::fail(base::ErrorCode::kInvalidPlan, compiled.error().to_text());
      MR_TRY(const auto plan, rank::LoadedPlan::load(*compiled, names, tasks));
      Bodies bodies(*plan);
      MR_TRY_STATUS(bodies.run_inputs());
      MR_TRY(const double ns, time_body(bodies, sample_ms));
      times.rows.push_back(size);
      times.ns.push_back(ns);
    }
    all.push_back(std::move(times));
  }
  return all;
}

}  // namespace millrace::bench
