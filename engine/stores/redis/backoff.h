#pragma once

#include <algorithm>

#include "base/clock.h"
#include "base/random.h"
#include "stores/redis/redis_settings.h"

namespace millrace::stores {

/// How long to wait before the next attempt to connect; see `BackoffSettings`.
/// Threading: not shared. Lifetime: borrows the random source.
class Backoff {
 public:
  Backoff(const BackoffSettings& settings, base::Random& random)
      : settings_(settings), random_(random), next_(settings.first) {}

  /// Gives the next wait: between half of it and all of it, so that clients do not come together.
  [[nodiscard]] base::Duration next() {
    const base::Duration whole = next_;
    next_ = std::min(2 * next_, settings_.longest);
    const auto half = static_cast<std::uint64_t>(whole.count() / 2);
    return whole - base::Duration(static_cast<std::int64_t>(random_.below(half + 1)));
  }
  void reset() { next_ = settings_.first; }

 private:
  const BackoffSettings settings_;
  base::Random& random_;
  base::Duration next_;
};

}  // namespace millrace::stores
