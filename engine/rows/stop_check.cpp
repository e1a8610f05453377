#include "rows/stop_check.h"

#include <string>

#include "base/error.h"
#include "base/result.h"

namespace millrace::rows {

std::unexpected<base::Error> StopCheck::stopped() const {
  return base::fail(base::ErrorCode::kCancelled, "The run is over", std::string(where_));
}

}  // namespace millrace::rows
