#include "loop/task.h"

#include <exception>
#include <string>

#include "base/error.h"

namespace millrace::loop {

base::Error error_from(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& caught) {
    return {base::ErrorCode::kNodeFailed, std::string("Task threw: ") + caught.what()};
  } catch (...) {
    return {base::ErrorCode::kNodeFailed, "Task threw something that is not a std::exception"};
  }
}

}  // namespace millrace::loop
