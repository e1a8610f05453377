#pragma once

#include <expected>
#include <string>
#include <utility>

#include "base/error.h"

namespace millrace::base {

/// A value, or the `Error` that says why there is none.
template <class T>
using Result = std::expected<T, Error>;

/// Success without a value, or an `Error`.
using Status = Result<void>;

/// Makes the failing side of any `Result`: `return fail(ErrorCode::kNotFound, "No such node: x",
/// "nodes[3]")`.
[[nodiscard, gnu::cold, gnu::noinline]] inline std::unexpected<Error> fail(ErrorCode code,
                                                                           std::string message,
                                                                           std::string where = {}) {
  return std::unexpected<Error>(Error(code, std::move(message), std::move(where)));
}

}  // namespace millrace::base

#define MR_CONCAT_INNER(a, b) a##b
#define MR_CONCAT(a, b) MR_CONCAT_INNER(a, b)

// Declarations, names and keywords cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define MR_TRY_IMPL(temporary, declaration, expression, return_keyword)                    \
  auto temporary = (expression);                                                           \
  if (!temporary) [[unlikely]]                                                             \
    return_keyword std::unexpected<::millrace::base::Error>(std::move(temporary).error()); \
  declaration = *std::move(temporary)

#define MR_CHECK_OK_IMPL(temporary, expression, return_keyword) \
  if (auto temporary = (expression); !temporary) [[unlikely]]   \
  return_keyword std::unexpected<::millrace::base::Error>(std::move(temporary).error())
// NOLINTEND(bugprone-macro-parentheses)

/// Declares a variable from a `Result`, or returns its error: `MR_TRY(Plan plan, load(path));`
#define MR_TRY(declaration, ...) \
  MR_TRY_IMPL(MR_CONCAT(mr_try_, __LINE__), declaration, (__VA_ARGS__), return)
/// The same for a `Status`: `MR_TRY_STATUS(check(plan));`
#define MR_TRY_STATUS(...) MR_CHECK_OK_IMPL(MR_CONCAT(mr_try_, __LINE__), (__VA_ARGS__), return)
/// The same inside a coroutine.
#define MR_CO_TRY(declaration, ...) \
  MR_TRY_IMPL(MR_CONCAT(mr_try_, __LINE__), declaration, (__VA_ARGS__), co_return)
#define MR_CO_TRY_STATUS(...) \
  MR_CHECK_OK_IMPL(MR_CONCAT(mr_try_, __LINE__), (__VA_ARGS__), co_return)
