#pragma once

#include <string>
#include <string_view>

namespace millrace::rankd {

/// Writes an answer for people: one line about the request, a table of the candidates, then what
/// was degraded, the warnings and the sentences of `explain`. An error is one line. Ends with an
/// empty line.
[[nodiscard]] std::string answer_table(std::string_view answer);

}  // namespace millrace::rankd
