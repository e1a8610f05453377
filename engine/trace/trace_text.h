#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace millrace::trace {

/// Gives `text` for a terminal, cut ("…") to at most `columns` characters. Control characters and
/// bytes that are not UTF-8 become '?', and so do all non-ASCII characters unless `use_unicode` is
/// set.
[[nodiscard]] std::string cut_columns(std::string_view text,
                                      std::size_t columns,
                                      bool use_unicode = true);

/// Does the same and pads to exactly `columns` characters.
[[nodiscard]] std::string fit_columns(std::string_view text,
                                      std::size_t columns,
                                      bool use_unicode = true);

/// Gives a duration for people, in the largest fitting unit with three decimals: "12.345 ms".
[[nodiscard]] std::string format_duration(base::Duration duration);

}  // namespace millrace::trace
