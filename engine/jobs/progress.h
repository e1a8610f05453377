#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"

namespace millrace::jobs {

/// How far something is.
struct Progress {
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  double per_second = 0;  ///< 0: not known
};

/// How long the rest takes at this rate; nothing: not known.
[[nodiscard]] std::optional<base::Duration> time_left(const Progress& progress);

/// `[######    ] 60% 600/1000 120/s, 4 s left`, with a bar of that many characters.
[[nodiscard]] std::string progress_line(const Progress& progress, std::size_t bar_width = 30);

/// The rate over the last seconds, from counts that only grow.
/// Threading: not shared.
class RateMeter {
 public:
  /// Adds a count; gives the rate.
  double add(base::TimePoint now, std::uint64_t count);

 private:
  std::optional<base::TimePoint> last_;
  std::uint64_t count_ = 0;
  double rate_ = 0;
};

}  // namespace millrace::jobs
