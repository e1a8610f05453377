#include "rows/stop_check.h"

#include <string>

#include "base/error.h"
#include "base/result.h"

namespace millrace::rows {

std::unexpected<base::Error> StopCheck::stopped() const {
  if (is_over_budget_) {
    return base::fail(base::ErrorCode::kResourceExhausted,
                      "The rows of this request need more memory than --max_request_memory "
                      "allows, in bytes: " +
                          std::to_string(budget_->limits().bytes_max),
                      std::string(where_));
  }
  return base::fail(base::ErrorCode::kCancelled, "The run is over", std::string(where_));
}

std::unexpected<base::Error> StopCheck::too_many(std::size_t row_count) const {
  return base::fail(base::ErrorCode::kResourceExhausted,
                    "A node may give as many rows as --max_rows allows, " +
                        std::to_string(budget_->limits().rows_max) + ", and this one would give " +
                        std::to_string(row_count),
                    std::string(where_));
}

}  // namespace millrace::rows
