#pragma once

#include <cstdint>

#include "base/clock.h"
#include "stores/redis/redis_settings.h"

namespace millrace::stores {

/// Refuses calls to a server that keeps failing, so that nobody waits for it.
///
///   closed ── `failures` in a row ──► open ── `open_time` ──► half-open ── success ──► closed
///                                      ▲                         │
///                                      └───────── failure ───────┘
///
/// In half-open one call goes through as a probe; the others are refused until it ends.
/// Threading: loop thread.
class Breaker {
 public:
  enum class State : std::uint8_t { kClosed, kOpen, kHalfOpen };

  explicit Breaker(const BreakerSettings& settings) : settings_(settings) {}

  /// Says whether a call may go to the server now. In half-open the first yes is the probe.
  [[nodiscard]] bool try_pass(base::TimePoint now);
  void on_success();
  void on_failure(base::TimePoint now);
  /// The probe ended without saying anything about the server: another may go.
  void on_nothing() { probing_ = false; }

  [[nodiscard]] State state() const { return state_; }
  /// How often it went from closed to open.
  [[nodiscard]] std::uint64_t trip_count() const { return trip_count_; }

 private:
  void open(base::TimePoint now);

  const BreakerSettings settings_;
  State state_ = State::kClosed;
  std::uint32_t failures_ = 0;
  bool probing_ = false;
  base::TimePoint opened_at_{};
  std::uint64_t trip_count_ = 0;
};

}  // namespace millrace::stores
