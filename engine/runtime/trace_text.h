#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace millrace::runtime {

/// Appends `text` as a JSON string with its quotes. Any bytes are accepted: what JSON cannot hold
/// is escaped, and every byte that is not part of valid UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view text);

/// Gives `text` for a terminal, padded or cut ("…") to exactly `columns` characters. Control
/// characters and bytes that are not UTF-8 become '?'; so does all but ASCII unless `use_unicode`.
[[nodiscard]] std::string fit_columns(std::string_view text,
                                      std::size_t columns,
                                      bool use_unicode = true);

/// Gives a duration for people, in the largest fitting unit with three decimals: "12.345 ms".
[[nodiscard]] std::string format_duration(base::Duration duration);

}  // namespace millrace::runtime
