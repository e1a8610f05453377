#pragma once

#include <type_traits>
#include <utility>

#include "base/result.h"
#include "runtime/node_call.h"

// How the bodies of a flow are called: what they return and throw becomes the result of their node.

namespace millrace::runtime {

/// Calls `body`, which returns nothing or a `Status`. False: it failed, and `call` has the error.
template <class Body>
[[nodiscard]] bool call_body(NodeCall& call, Body&& body) {
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return true;
    } else {
      base::Status status = body();
      if (status) return true;
      call.set_error(std::move(status.error()));
      return false;
    }
  } catch (...) {
    call.set_error_from_exception();
    return false;
  }
}

/// Gives a call another context for a scope.
class ContextScope {
 public:
  ContextScope(NodeCall& call, void* context)
      : call_(call), outer_(call.exchange_context(context)) {}
  ~ContextScope() { call_.exchange_context(outer_); }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  NodeCall& call_;
  void* const outer_;
};

}  // namespace millrace::runtime
