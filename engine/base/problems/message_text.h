#pragma once

#include <span>
#include <string>
#include <string_view>

// Parts of the messages about what a person wrote.

namespace millrace::base {

/// Cuts text from outside to at most 80 bytes, at the end of a character, so that it can be quoted
/// in a message.
[[nodiscard]] std::string shortened(std::string_view text);

/// Gives text from outside as a terminal may show it: control characters, characters that change
/// the direction of text and bytes that are not UTF-8 are written as `\u001b` or `\x9b`. Line ends
/// and tabs stay.
[[nodiscard]] std::string printable(std::string_view text);

/// Gives `one of a, b, c`, the hint for a word that is not among those allowed.
[[nodiscard]] std::string one_of(std::span<const std::string_view> words);

}  // namespace millrace::base
