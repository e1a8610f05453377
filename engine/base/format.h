#pragma once

#include <algorithm>
#include <utility>

// The small header: the one that formats into iterators takes several times as long to compile.
#include <fmt/core.h>

namespace millrace::base {

/// Text formatting for the whole engine, as in C++20's `<format>`, which libstdc++ 12 lacks. This
/// header is the only place that names the library behind it: `base::format("{} rows in {}", rows,
/// node)`.
using fmt::format;
using fmt::format_string;

/// Formats to an output iterator: `base::format_to(std::back_inserter(text), "{} rows", rows)`.
template <class Out, class... Args>
Out format_to(Out out, format_string<Args...> pattern, Args&&... args) {
  return std::ranges::copy(format(pattern, std::forward<Args>(args)...), std::move(out)).out;
}

}  // namespace millrace::base
