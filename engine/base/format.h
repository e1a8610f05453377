#pragma once

#include <string>
#include <utility>

// The small header: the one that can format into iterators takes several times as long to compile.
#include <fmt/core.h>

namespace millrace::base {

/// Text formatting for the whole engine, as in C++20's `<format>`, which libstdc++ 12 lacks. This
/// header is the only place that names the library behind it: `base::format("{} rows in {}", rows,
/// node)`.
using fmt::format;
using fmt::format_string;

/// Formats onto the end of `out`.
template <class... Args>
void append_format(std::string& out, format_string<Args...> pattern, Args&&... args) {
  out += format(pattern, std::forward<Args>(args)...);
}

}  // namespace millrace::base
