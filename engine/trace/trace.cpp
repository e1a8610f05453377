#include "trace/trace.h"

#include <string_view>

namespace millrace::trace {

std::string_view to_string(SpanStatus status) {
  switch (status) {
    case SpanStatus::Ok:
      return "ok";
    case SpanStatus::Error:
      return "error";
    case SpanStatus::Cancelled:
      return "cancelled";
    case SpanStatus::Deadline:
      return "deadline";
    case SpanStatus::Skipped:
      return "skipped";
  }
  return "unknown";
}

}  // namespace millrace::trace
