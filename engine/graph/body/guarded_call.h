#pragma once

#include <exception>
#include <utility>

#include "base/format.h"
#include "base/result.h"

namespace millrace::graph {

/// Calls code of a component, which may throw although it should not: an exception becomes an error
/// of the call, so that the component's error rules apply to it.
template <class Call>
[[nodiscard, gnu::always_inline]] inline auto guarded_call(Call&& call)
    -> decltype(std::forward<Call>(call)()) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception& error) {
    return base::fail(base::ErrorCode::kInternal,
                      base::format("The component threw an exception: {}", error.what()));
  } catch (...) {
    return base::fail(base::ErrorCode::kInternal,
                      "The component threw an exception that is no std::exception");
  }
}

}  // namespace millrace::graph
