#include "base/did_you_mean.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::base {

namespace {

// Longer names are never compared: input decides their length, and the table is quadratic.
constexpr std::size_t kLengthMax = 64;

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

}  // namespace

std::size_t edit_distance(std::string_view left, std::string_view right) {
  // Three rows of the dynamic programme: a swap of neighbours looks two rows back.
  std::vector<std::size_t> before(right.size() + 1);
  std::vector<std::size_t> previous(right.size() + 1);
  std::vector<std::size_t> current(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const bool same = lower(left[i - 1]) == lower(right[j - 1]);
      current[j] = std::min(
          {previous[j] + 1, current[j - 1] + 1, previous[j - 1] + std::size_t{same ? 0U : 1U}});
      if (i > 1 && j > 1 && lower(left[i - 1]) == lower(right[j - 2]) &&
          lower(left[i - 2]) == lower(right[j - 1])) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    before.swap(previous);
    previous.swap(current);
  }
  return previous[right.size()];
}

std::optional<std::string_view> find_nearest(std::string_view name,
                                             std::span<const std::string_view> candidates) {
  if (name.size() > kLengthMax) return std::nullopt;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::optional<std::string_view> best;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLengthMax) continue;
    // A candidate that shares no letter is no slip of the hand, however short.
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance && distance < std::max(name.size(), candidate.size())) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  const std::optional<std::string_view> nearest = find_nearest(name, candidates);
  if (!nearest) return {};
  return "; did you mean '" + std::string(*nearest) + "'?";
}

}  // namespace millrace::base
