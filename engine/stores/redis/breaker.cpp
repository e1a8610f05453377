#include "stores/redis/breaker.h"

#include "base/clock.h"

namespace millrace::stores {

bool Breaker::try_pass(base::TimePoint now) {
  if (state_ == State::kClosed) return true;
  if (state_ == State::kOpen) {
    if (now < opened_at_ + settings_.open_time) return false;
    state_ = State::kHalfOpen;
    probing_ = false;
  }
  if (probing_) return false;
  probing_ = true;
  return true;
}

void Breaker::on_success() {
  state_ = State::kClosed;
  failures_ = 0;
  probing_ = false;
}

void Breaker::on_failure(base::TimePoint now) {
  if (state_ == State::kHalfOpen) return open(now);
  if (state_ == State::kClosed && ++failures_ >= settings_.failures) {
    ++trip_count_;
    open(now);
  }
}

void Breaker::open(base::TimePoint now) {
  state_ = State::kOpen;
  opened_at_ = now;
  failures_ = 0;
  probing_ = false;
}

}  // namespace millrace::stores
