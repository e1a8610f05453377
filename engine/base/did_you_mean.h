#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace millrace::base {

/// Counts the single-character insertions, deletions, replacements and swaps of neighbours that
/// turn one name into the other (optimal string alignment), letters compared without case.
[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right);

/// Gives the candidate nearest to `name`, the first one of several, if it is near enough to be a
/// slip of the hand: at most a third of the name's length, and at least one edit.
[[nodiscard]] std::optional<std::string_view> find_nearest(
    std::string_view name, std::span<const std::string_view> candidates);

/// Gives `did you mean 'x'?`, the hint for an unknown name, or nothing. Compares the name with all
/// candidates, so call it only for a problem that will be shown.
[[nodiscard]] std::string suggestion(std::string_view name,
                                     std::span<const std::string_view> candidates);

/// Gives `; did you mean 'x'?` for the end of an error message, or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       std::span<const std::string_view> candidates);

}  // namespace millrace::base
