#include "base/did_you_mean.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::base {

namespace {

// Longer names are never compared: they come from outside, and the time to compare two grows with
// the product of their lengths.
constexpr std::size_t kLengthMax = 64;

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// Three rows of the table of the dynamic programme; a swap of neighbours looks two rows back.
struct DistanceRows {
  explicit DistanceRows(std::size_t length_max)
      : before(length_max + 1), previous(length_max + 1), current(length_max + 1) {}

  std::vector<std::size_t> before;
  std::vector<std::size_t> previous;
  std::vector<std::size_t> current;
};

/// Removes what both names begin and end with: it costs no edit.
void strip_equal_ends(std::string_view& left, std::string_view& right) {
  while (!left.empty() && !right.empty() && lower(left.front()) == lower(right.front())) {
    left.remove_prefix(1);
    right.remove_prefix(1);
  }
  while (!left.empty() && !right.empty() && lower(left.back()) == lower(right.back())) {
    left.remove_suffix(1);
    right.remove_suffix(1);
  }
}

/// Gives the distance if it is below `limit`, else some number that is not.
std::size_t distance_below(std::string_view left,
                           std::string_view right,
                           std::size_t limit,
                           DistanceRows& rows) {
  strip_equal_ends(left, right);
  if (left.empty() || right.empty()) return left.size() + right.size();
  if (limit <= 1) return 1;  // Different names are at least one edit apart.
  // A cell further than that from the diagonal is at least `limit`, so only a band is computed. Its
  // neighbours hold `limit`.
  const std::size_t reach = std::min(limit, std::max(left.size(), right.size()) + 1) - 1;
  for (std::size_t j = 0; j <= std::min(right.size(), reach + 1); ++j) rows.previous[j] = j;
  std::size_t previous_least = 0;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    const char letter = lower(left[i - 1]);
    const std::size_t first = i > reach ? i - reach : 1;
    const std::size_t last = std::min(right.size(), i + reach);
    rows.current[first - 1] = first == 1 ? i : limit;
    std::size_t least = rows.current[first - 1];
    for (std::size_t j = first; j <= last; ++j) {
      const bool same = letter == lower(right[j - 1]);
      std::size_t& distance = rows.current[j];
      distance = std::min({rows.previous[j] + 1,
                           rows.current[j - 1] + 1,
                           rows.previous[j - 1] + std::size_t{same ? 0U : 1U}});
      if (i > 1 && j > 1 && letter == lower(right[j - 2]) &&
          lower(left[i - 2]) == lower(right[j - 1])) {
        distance = std::min(distance, rows.before[j - 2] + 1);
      }
      least = std::min(least, distance);
    }
    if (last < right.size()) rows.current[last + 1] = limit;
    // Each later row is computed from the two before it and never holds a smaller number.
    if (least >= limit && previous_least >= limit) return limit;
    previous_least = least;
    rows.before.swap(rows.previous);
    rows.previous.swap(rows.current);
  }
  return rows.previous[right.size()];
}

}  // namespace

std::size_t edit_distance(std::string_view left, std::string_view right) {
  DistanceRows rows(right.size());
  return distance_below(left, right, std::numeric_limits<std::size_t>::max(), rows);
}

std::optional<std::string_view> find_nearest(std::string_view name,
                                             std::span<const std::string_view> candidates) {
  if (name.size() > kLengthMax) return std::nullopt;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::optional<std::string_view> best;
  DistanceRows rows(kLengthMax);
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLengthMax) continue;
    // Each letter that one name has more than the other is an edit.
    const std::size_t length_difference =
        std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size());
    if (length_difference >= best_distance) continue;
    // A candidate that shares no letter with the name is not what was meant, however short it is.
    const std::size_t distance = distance_below(name, candidate, best_distance, rows);
    if (distance < best_distance && distance < std::max(name.size(), candidate.size())) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view name, std::span<const std::string_view> candidates) {
  const std::optional<std::string_view> nearest = find_nearest(name, candidates);
  if (!nearest) return {};
  return "did you mean '" + std::string(*nearest) + "'?";
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string hint = suggestion(name, candidates);
  return hint.empty() ? hint : "; " + hint;
}

}  // namespace millrace::base
