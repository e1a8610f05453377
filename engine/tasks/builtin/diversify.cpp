#include "rows/diversify.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "plan/compiled_plan.h"
#include "plan/task_catalog.h"
#include "rows/mmr.h"
#include "rows/row_set.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/param_types.h"
#include "tasks/params_description.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {
namespace {

struct DiversifyParams {
  std::optional<KeyListParam<AnyValue>> by;
  std::int64_t window = 2;
  std::int64_t max_in_window = 1;
  rows::WhenStuck when_stuck = rows::WhenStuck::kBreakRule;
  std::int64_t lookahead = rows::DiversifyOptions::kLookaheadDefault;
  std::optional<KeyParam<Number>> score;
  std::optional<KeyListParam<Number>> features;
  double lambda = 0.7;
  std::int64_t count = 0;
  std::vector<rows::WindowRule> rules;  // made from `by`

  static void describe(ParamsDescription<DiversifyParams>& params) {
    using P = DiversifyParams;
    params.optional("by", &P::by, "Keys whose values make two rows alike");
    params.optional(
        "window", &P::window, "Number of consecutive rows that a rule covers", {.minimum = 1});
    params.optional("max_in_window",
                    &P::max_in_window,
                    "How many rows with the same value may be in a window",
                    {.minimum = 1});
    params.choice("when_stuck",
                  &P::when_stuck,
                  {{"break", rows::WhenStuck::kBreakRule}, {"drop", rows::WhenStuck::kDropRest}},
                  "What to do when no row fits: break the rule, or drop the remaining rows");
    params.optional("lookahead",
                    &P::lookahead,
                    "How many of the remaining rows are tried for each place",
                    {.minimum = 1});
    params.optional("score",
                    &P::score,
                    "Key of the relevance; if given, rows are chosen by MMR instead of windows");
    params.optional("features",
                    &P::features,
                    "MMR: keys whose values form the vectors that are compared by cosine");
    params.optional("lambda",
                    &P::lambda,
                    "MMR: 1 counts relevance only, 0 counts only how different rows are",
                    {.minimum = 0, .maximum = 1});
    params.optional("count", &P::count, "MMR: how many rows are chosen", {.minimum = 0});
  }

  base::Status on_load(const plan::CompiledNode& node) {
    const bool ok =
        score ? by.has_value() != features.has_value() : by.has_value() && !features.has_value();
    if (!ok) {
      return base::fail(base::ErrorCode::kInvalidPlan,
                        "Give `by`, or with `score` either `by` or `features`",
                        node.id + ".params");
    }
    if (score) return {};
    for (const std::string& key : by->names) {
      rules.push_back({.column = key, .count_max = max_in_window, .window = window});
    }
    return {};
  }
};

base::Result<rows::RowSet> by_mmr(const rows::RowSet& rows,
                                  const DiversifyParams& params,
                                  TaskContext& context) {
  rows::MmrOptions options{
      .score = params.score->name, .lambda = params.lambda, .count = params.count};
  if (params.by) options.same_keys = params.by->names;
  if (params.features) options.features = params.features->names;
  return rows::diversify_mmr(rows, options, context.scratch());
}

base::Result<rows::RowSet> diversify(const rows::RowSet& rows,
                                     const DiversifyParams& params,
                                     TaskContext& context) {
  if (params.score) return by_mmr(rows, params, context);
  const rows::DiversifyOptions options{
      .rules = params.rules, .when_stuck = params.when_stuck, .lookahead = params.lookahead};
  return rows::diversify(rows, options, context.scratch());
}

}  // namespace

base::Status register_diversify(TaskRegistry& registry) {
  return register_task(
      registry,
      {.op = "diversify",
       .doc = "Spreads similar rows out: by windows (at most `max_in_window` rows with "
              "the same value among `window` consecutive rows) or, with `score`, by "
              "maximal marginal relevance (MMR).",
       .kind = plan::TaskKind::kCpu,
       .rows = plan::OutputRows::kOther,
       .cost_fixed = std::chrono::microseconds(2),
       .cost_per_row = std::chrono::nanoseconds(100)},
      diversify);
}

}  // namespace millrace::tasks
