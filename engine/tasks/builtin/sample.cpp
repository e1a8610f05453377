#include "rows/sample.h"

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/error.h"
#include "base/result.h"
#include "plan/compiled_plan.h"
#include "plan/task_catalog.h"
#include "rows/row_set.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/params_description.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {
namespace {

struct SampleParams {
  std::optional<std::int64_t> count;
  std::optional<double> rate;
  std::optional<std::int64_t> seed;

  static void describe(ParamsDescription<SampleParams>& params) {
    params.optional("count", &SampleParams::count, "How many rows stay", {.minimum = 0});
    params.optional(
        "rate", &SampleParams::rate, "Share of rows that stay", {.minimum = 0, .maximum = 1});
    params.optional("seed",
                    &SampleParams::seed,
                    "Seed that is the same in every request; by default it is made from the "
                    "request's seed and the node");
  }

  base::Status on_load(const plan::CompiledNode& node) {
    if (count.has_value() != rate.has_value()) return {};
    return base::fail(
        base::ErrorCode::kInvalidPlan, "Give either `count` or `rate`", node.id + ".params");
  }
};

base::Result<rows::RowSet> sample(const rows::RowSet& rows,
                                  const SampleParams& params,
                                  TaskContext& context) {
  const std::uint64_t seed =
      params.seed ? static_cast<std::uint64_t>(*params.seed) : context.seed();
  if (params.count) return rows::sample_count(rows, *params.count, seed, context.scratch());
  return rows::sample_rate(rows, *params.rate, seed, context.scratch());
}

}  // namespace

base::Status register_sample(TaskRegistry& registry) {
  return register_task(
      registry,
      {.op = "sample",
       .doc = "Keeps random rows, in input order. The random number of a row depends only "
              "on its id and the seed (SplitMix64), so the same rows stay in every run.",
       .kind = plan::TaskKind::kCpu,
       .rows = plan::OutputRows::kSubset,
       .shareable = false,
       .cost_fixed = std::chrono::microseconds(1),
       .cost_per_row = std::chrono::nanoseconds(5)},
      sample);
}

}  // namespace millrace::tasks
