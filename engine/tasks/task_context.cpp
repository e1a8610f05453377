#include "tasks/task_context.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "expr/evaluate.h"
#include "rows/sample.h"

namespace millrace::tasks {

void TaskContext::count_row_errors(const expr::RowErrors& errors) const {
  TaskStats& stats = *node_->stats;
  stats.row_errors += errors.count;
  if (errors.first && stats.first_row_error.empty()) stats.first_row_error = errors.first->message;
}

base::Status TaskContext::check_stop() const {
  if (!stop_requested()) return {};
  return base::fail(base::ErrorCode::kCancelled, "The run is over", node().id);
}

std::optional<base::Duration> TaskContext::remaining() const {
  if (!node_->deadline) return std::nullopt;
  return std::max(base::Duration{}, *node_->deadline - clock().now());
}

std::uint64_t TaskContext::seed() const {
  return rows::sample_hash(request_->seed, static_cast<std::int64_t>(node_->node->seed_salt));
}

}  // namespace millrace::tasks
