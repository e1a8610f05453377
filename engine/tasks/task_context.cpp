#include "tasks/task_context.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "expr/evaluate.h"
#include "rows/sample.h"
#include "rows/stop_check.h"

namespace millrace::tasks {

void TaskContext::count_row_errors(const expr::RowErrors& errors) const {
  TaskStats& stats = *node_->stats;
  stats.row_errors += errors.count;
  if (errors.first && stats.first_row_error.empty()) stats.first_row_error = errors.first->message;
}

rows::StopCheck TaskContext::stop_check() const {
  const auto ask = [](const void* subject) {
    const auto& node = *static_cast<const NodeContext*>(subject);
    return node.stop.stop_requested() || (node.call != nullptr && !node.call->is_wanted());
  };
  return {ask, node_, node().id, request_->budget};
}

std::optional<base::Duration> TaskContext::remaining() const {
  if (!node_->deadline) return std::nullopt;
  return std::max(base::Duration{}, *node_->deadline - clock().now());
}

std::uint64_t TaskContext::seed() const {
  return rows::sample_hash(request_->seed, static_cast<std::int64_t>(node_->node->seed_salt));
}

}  // namespace millrace::tasks
