#include "rows/interleave.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "plan/compiled_plan.h"
#include "plan/task_catalog.h"
#include "rows/row_set.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/param_types.h"
#include "tasks/params_description.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::tasks {
namespace {

constexpr std::size_t kLetters = 26;

struct InterleaveParams {
  std::optional<NodeParam> rhs;
  std::string pattern;
  std::vector<double> weights;

  static void describe(ParamsDescription<InterleaveParams>& params) {
    params.optional("rhs", &InterleaveParams::rhs, "Rows of one more input");
    params.optional("pattern",
                    &InterleaveParams::pattern,
                    "Letters, `a` for the first input: `aab` takes two rows of the first input, "
                    "then one of the second, and repeats; by default each input in turn");
    params.optional(
        "weights", &InterleaveParams::weights, "Weight of each input, instead of a pattern");
  }

  base::Status on_load(const plan::CompiledNode& node) {
    const std::size_t input_count = node.inputs.size();
    if (!weights.empty()) return check_weights(node);
    if (pattern.empty()) {
      if (input_count > kLetters) weights.assign(input_count, 1.0);
      for (std::size_t i = 0; i < input_count && weights.empty(); ++i) {
        pattern += static_cast<char>('a' + i);
      }
      return {};
    }
    for (const char letter : pattern) {
      if (letter < 'a' || static_cast<std::size_t>(letter - 'a') >= input_count) {
        return refuse(node, "pattern", "A letter of the pattern has no input");
      }
    }
    for (std::size_t i = 0; i < input_count; ++i) {
      if (pattern.find(static_cast<char>('a' + i)) == std::string::npos) {
        return refuse(node, "pattern", "An input has no letter in the pattern");
      }
    }
    return {};
  }

 private:
  base::Status check_weights(const plan::CompiledNode& node) const {
    if (!pattern.empty()) return refuse(node, "weights", "Give a pattern or weights, not both");
    if (weights.size() != node.inputs.size()) {
      return refuse(node, "weights", "There must be one weight per input");
    }
    for (const double weight : weights) {
      if (!(weight > 0)) return refuse(node, "weights", "A weight must be above 0");
    }
    return {};
  }
  static base::Status refuse(const plan::CompiledNode& node,
                             const char* param,
                             const char* message) {
    return base::fail(base::ErrorCode::kInvalidPlan, message, node.id + ".params." + param);
  }
};

base::Result<rows::RowSet> interleave(const rows::RowSet&,
                                      std::span<const rows::RowSet>,
                                      const InterleaveParams& params,
                                      TaskContext& context) {
  if (!params.weights.empty()) {
    return rows::interleave_weighted(context.inputs(), params.weights, context.scratch());
  }
  return rows::interleave_pattern(context.inputs(), params.pattern, context.scratch());
}

}  // namespace

base::Status register_interleave(TaskRegistry& registry) {
  return register_task(
      registry,
      {.op = "interleave",
       .doc = "Interleaves the rows of its inputs by a pattern or by weights; the result "
              "has all rows of all inputs.",
       .kind = plan::TaskKind::kCpu,
       .columns = plan::OutputColumns::kUnion,
       .rows = plan::OutputRows::kOther,
       .cost_fixed = std::chrono::microseconds(1),
       .cost_per_row = std::chrono::nanoseconds(8)},
      interleave);
}

}  // namespace millrace::tasks
