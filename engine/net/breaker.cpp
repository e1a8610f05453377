#include "net/breaker.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/random.h"

namespace millrace::net {
namespace {

constexpr std::uint32_t kWindowMax = 64;
/// Bounds the exponent, so that the time cannot overflow; the longest time is reached earlier.
constexpr std::uint32_t kDoublingsMax = 30;

}  // namespace

Breaker::Breaker(BreakerOptions options,
                 const base::Clock& clock,
                 base::Random& random,
                 BreakerListener* listener)
    : options_(options), clock_(clock), random_(random), listener_(listener) {
  MR_CHECK(options.window_count >= 1);
  MR_CHECK(options.window_count <= kWindowMax, options.window_count);
  MR_CHECK(options.open_min.count() > 0);
  MR_CHECK(options.jitter >= 0, options.jitter);
  MR_CHECK(options.jitter < 1, options.jitter);
}

std::optional<Breaker::Ticket> Breaker::try_begin() {
  if (!is_open_) return Ticket(epoch_);
  if (probing_ || clock_.now() < open_until_) return std::nullopt;
  probing_ = true;
  return Ticket(epoch_);
}

void Breaker::end(Ticket ticket, Outcome outcome) {
  if (ticket.epoch_ != epoch_) return;
  if (is_open_) {
    MR_CHECK(probing_);
    probing_ = false;
    if (outcome == Outcome::kSuccess) return close();
    if (outcome == Outcome::kFailure) open();
    return;
  }
  if (outcome != Outcome::kAbandoned) count(outcome == Outcome::kFailure);
}

void Breaker::note_success() {
  if (is_open_) return close();
  count(false);
}

void Breaker::note_failure() {
  if (!is_open_) return count(true);
  if (std::exchange(probing_, false)) open();
}

void Breaker::count(bool failed) {
  failures_in_a_row_ = failed ? failures_in_a_row_ + 1 : 0;
  window_ = (window_ << 1U) | static_cast<std::uint64_t>(failed);
  window_size_ = std::min(window_size_ + 1, kWindowMax);
  if (failed && is_too_much()) open();
}

bool Breaker::is_too_much() const {
  if (options_.consecutive_failures_max != 0 &&
      failures_in_a_row_ >= options_.consecutive_failures_max) {
    return true;
  }
  if (window_size_ < options_.window_count) return false;
  const std::uint64_t recent = window_ << (kWindowMax - options_.window_count);
  return std::popcount(recent) >= options_.failure_share_max * options_.window_count;
}

Breaker::State Breaker::state() const {
  if (!is_open_) return State::kClosed;
  return probing_ || clock_.now() >= open_until_ ? State::kHalfOpen : State::kOpen;
}

void Breaker::open() {
  const std::uint32_t doublings = std::min(openings_in_a_row_, kDoublingsMax);
  // Compared before it is multiplied: the product may not fit.
  const base::Duration span = options_.open_min > options_.open_max / (std::int64_t{1} << doublings)
                                  ? options_.open_max
                                  : options_.open_min * (std::int64_t{1} << doublings);
  const double share = 1 - options_.jitter * random_.unit();
  const auto open_for = std::chrono::duration_cast<base::Duration>(span * share);
  open_until_ = clock_.now() + open_for;
  const bool was_open = std::exchange(is_open_, true);
  ++epoch_;
  ++openings_in_a_row_;
  opened_count_.add();
  if (!was_open && listener_ != nullptr) listener_->on_breaker_opened(open_for);
}

void Breaker::close() {
  is_open_ = false;
  ++epoch_;
  openings_in_a_row_ = 0;
  failures_in_a_row_ = 0;
  window_ = 0;
  window_size_ = 0;
  if (listener_ != nullptr) listener_->on_breaker_closed();
}

}  // namespace millrace::net
