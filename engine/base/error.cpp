#include "base/error.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace millrace::base {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kInvalidPlan:
      return "invalid_plan";
    case ErrorCode::kInvalidExpression:
      return "invalid_expression";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kBusy:
      return "busy";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kDeadlineExceeded:
      return "deadline_exceeded";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kNodeFailed:
      return "node_failed";
    case ErrorCode::kResourceExhausted:
      return "resource_exhausted";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

Error::Error(ErrorCode code, std::string message, std::string where)
    : detail_(new Detail{code, std::move(message), std::move(where)}) {}

Error::Error(const Error& other) : detail_(new Detail(*other.detail_)) {}

Error& Error::operator=(const Error& other) {
  if (this != &other) detail_.reset(new Detail(*other.detail_));
  return *this;
}

void Error::Destroy::operator()(Detail* detail) const noexcept { delete detail; }

std::string Error::to_string() const {
  std::string text{base::to_string(code())};
  text += ": ";
  text += message();
  if (!where().empty()) text += " (at " + where() + ")";
  return text;
}

}  // namespace millrace::base
