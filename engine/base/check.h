#pragma once

#include <sstream>
#include <string>

namespace millrace::base {

/// Prints the broken condition with its values and aborts. For defects of ours only: no input may
/// reach it.
[[noreturn, gnu::cold]] void check_failed(const char* condition,
                                          const char* file,
                                          int line,
                                          const std::string& values);

template <class... Values>
[[noreturn, gnu::cold, gnu::noinline]] void check_failed_with(const char* condition,
                                                              const char* file,
                                                              int line,
                                                              const Values&... values) {
  std::ostringstream text;
  ((text << ' ' << values), ...);
  check_failed(condition, file, line, text.str());
}

}  // namespace millrace::base

/// Stops the process when an invariant of ours is broken, in release builds too. Extra arguments
/// are printed.
#define MR_CHECK(condition, ...)                      \
  ((condition) ? static_cast<void>(0)                 \
               : ::millrace::base::check_failed_with( \
                     #condition, __FILE__, __LINE__ __VA_OPT__(, ) __VA_ARGS__))

/// The same for hot loops: checked in debug builds only.
#ifdef NDEBUG
#define MR_DCHECK(condition, ...) static_cast<void>(0)
#else
#define MR_DCHECK(condition, ...) MR_CHECK(condition __VA_OPT__(, ) __VA_ARGS__)
#endif
