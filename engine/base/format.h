#pragma once

#include <fmt/format.h>

namespace millrace::base {

/// Text formatting for the whole engine, as in C++20's `<format>`, which libstdc++ 12 lacks. This
/// header is the only place that names the library behind it: `base::format("{} rows in {}", rows,
/// node)`.
using fmt::format;
using fmt::format_string;
using fmt::format_to;

}  // namespace millrace::base
