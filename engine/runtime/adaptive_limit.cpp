#include "runtime/adaptive_limit.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace millrace::runtime {
namespace {

constexpr double kUsedShare = 0.4;
constexpr double kGrowth = 1.1;

}  // namespace

AdaptiveLimit::AdaptiveLimit(const AdaptiveLimitSettings& settings, base::TimePoint now)
    : settings_(settings),
      limit_(static_cast<double>(std::clamp(settings.start, settings.least, settings.most))),
      window_begin_(now) {
  samples_.reserve(kSamplesMax);
}

void AdaptiveLimit::add_sample(base::Duration own_delay) {
  if (++skipped_ < stride_) return;
  skipped_ = 0;
  samples_.push_back(std::max(own_delay, base::Duration(0)));
  if (samples_.size() < kSamplesMax) return;
  // Every second one of those kept, in the order in which they came.
  for (std::size_t index = 0; index < kSamplesMax / 2; ++index)
    samples_[index] = samples_[2 * index];
  samples_.resize(kSamplesMax / 2);
  stride_ *= 2;
}

bool AdaptiveLimit::is_window_full(base::TimePoint now) const {
  return now - window_begin_ >= kWindow && samples_.size() >= kSamplesMin;
}

void AdaptiveLimit::end_window(base::TimePoint now, std::int64_t inflight_peak) {
  if (!is_window_full(now)) return;
  const auto quartile = samples_.begin() + static_cast<std::ptrdiff_t>((samples_.size() - 1) / 4);
  std::ranges::nth_element(samples_, quartile);
  last_delay_ = *quartile;
  samples_.clear();
  stride_ = 1;
  skipped_ = 0;
  window_begin_ = now;
  if (static_cast<double>(inflight_peak) < kUsedShare * limit_) return;
  const base::Duration target = settings_.target_delay;
  if (last_delay_ <= target / 2) {
    limit_ = limit_ * kGrowth + 1;
  } else if (last_delay_ <= target) {
    limit_ += 1;
  } else {
    const double ratio =
        static_cast<double>(target.count()) / static_cast<double>(last_delay_.count());
    limit_ = limit_ * (1 + ratio) / 2;
  }
  limit_ =
      std::clamp(limit_, static_cast<double>(settings_.least), static_cast<double>(settings_.most));
}

}  // namespace millrace::runtime
