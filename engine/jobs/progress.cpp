#include "jobs/progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/format.h"

namespace millrace::jobs {
namespace {

constexpr base::Duration kSampleLeast = std::chrono::milliseconds(200);
constexpr double kNewWeight = 0.3;

std::string span_text(base::Duration span) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(span).count();
  if (seconds < 120) return base::format("{} s", seconds);
  if (seconds < 7200) return base::format("{} min", (seconds + 59) / 60);
  return base::format("{} h", (seconds + 3599) / 3600);
}

}  // namespace

std::optional<base::Duration> time_left(const Progress& progress) {
  if (progress.per_second <= 0 || progress.done >= progress.total) return std::nullopt;
  const double seconds = static_cast<double>(progress.total - progress.done) / progress.per_second;
  if (seconds > 1e7) return std::nullopt;
  return std::chrono::duration_cast<base::Duration>(std::chrono::duration<double>(seconds));
}

std::string progress_line(const Progress& progress, std::size_t bar_width) {
  const double share =
      progress.total == 0
          ? 1
          : std::min(1.0, static_cast<double>(progress.done) / static_cast<double>(progress.total));
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(bar_width));
  std::string line = base::format("[{}{}] {}% {}/{}",
                                  std::string(filled, '#'),
                                  std::string(bar_width - filled, ' '),
                                  static_cast<int>(share * 100),
                                  progress.done,
                                  progress.total);
  if (progress.per_second > 0)
    line += base::format(" {}/s", static_cast<std::uint64_t>(std::llround(progress.per_second)));
  if (const auto left = time_left(progress)) line += base::format(", {} left", span_text(*left));
  return line;
}

double RateMeter::add(base::TimePoint now, std::uint64_t count) {
  if (!last_) {
    last_ = now;
    count_ = count;
    return 0;
  }
  const base::Duration span = now - *last_;
  if (span < kSampleLeast) return rate_;
  const double seconds = std::chrono::duration<double>(span).count();
  const double rate = static_cast<double>(count - std::min(count, count_)) / seconds;
  rate_ = rate_ == 0 ? rate : rate_ * (1 - kNewWeight) + rate * kNewWeight;
  last_ = now;
  count_ = count;
  return rate_;
}

}  // namespace millrace::jobs
