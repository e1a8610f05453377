#include "server/overload/own_delay_sampler.h"

#include <chrono>

namespace millrace::server {

bool OwnDelaySampler::wants_sample(base::TimePoint now) {
  if (++seen_ % kRateSpan == 0) {
    stride_ = now - rate_begin_ < kBusySpan ? kBusyStride : 1;
    rate_begin_ = now;
  }
  return seen_ % stride_ == 0;
}

void OwnDelaySampler::add(base::Duration loop_delay, base::TimePoint now) {
  const base::Duration waited =
      controller_ != nullptr ? controller_->worker_delay() : base::Duration(0);
  delays_.observe(std::chrono::duration<double>(loop_delay + waited).count());
  if (controller_ == nullptr) return;
  if (group_.empty()) group_begin_ = now;
  group_.push_back(loop_delay);
  if (group_.size() < kGroupMax && now - group_begin_ < kGroupAge) return;
  controller_->add_samples(group_);
  group_.clear();
}

}  // namespace millrace::server
