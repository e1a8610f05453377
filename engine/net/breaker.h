#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/metrics/metric_cell.h"
#include "base/random.h"

namespace millrace::net {

struct BreakerOptions {
  /// This many failures in a row open it; 0: never.
  std::uint32_t consecutive_failures_max = 5;
  /// It also opens when this share of the last `window_count` calls failed, once there were so
  /// many; a share above 1: never.
  double failure_share_max = 0.5;
  std::uint32_t window_count = 20;  ///< at most 64
  /// How long it stays open the first time; doubled each time the probe fails.
  base::Duration open_min = std::chrono::milliseconds(100);
  base::Duration open_max = std::chrono::seconds(10);
  /// At most this share of the time is taken off at random, so that many processes do not probe at
  /// once.
  double jitter = 0.25;
};

/// Hears when a breaker begins to keep calls away, and when it ends.
/// Threading: that of the breaker.
class BreakerListener {
 public:
  virtual ~BreakerListener() = default;
  /// The breaker was closed and is open now. Probes that fail later do not call this again.
  virtual void on_breaker_opened(base::Duration open_for) = 0;
  /// The breaker was open or half-open and is closed now.
  virtual void on_breaker_closed() = 0;
};

/// Keeps calls away from a peer that fails.
///
///   closed ── too many failures ──► open ── time ──► half-open ── probe succeeds ──► closed
///                                    ▲                   │
///                                    └── probe fails ────┘
///
/// Half-open lets one call through, the probe. Results of calls that began before the last change
/// of state do not count, because they say nothing about the peer as it is now.
///
/// Threading: not shared, but for `opened_count`: any thread.
/// Lifetime: borrows clock, random and listener.
class Breaker {
 public:
  enum class State : std::uint8_t { kClosed, kOpen, kHalfOpen };
  enum class Outcome : std::uint8_t {
    kSuccess,    ///< the peer answered, even with a refusal
    kFailure,    ///< the peer did not answer, or said that it cannot serve
    kAbandoned,  ///< the caller gave up for another reason; says nothing about the peer
  };
  /// The right to one call.
  class Ticket {
   private:
    friend class Breaker;
    explicit Ticket(std::uint64_t epoch) : epoch_(epoch) {}
    std::uint64_t epoch_;
  };

  Breaker(BreakerOptions options,
          const base::Clock& clock,
          base::Random& random,
          BreakerListener* listener = nullptr);

  /// Allows a call, or gives nothing while the breaker is open. Each ticket is given back with
  /// `end` exactly once.
  [[nodiscard]] std::optional<Ticket> try_begin();
  void end(Ticket ticket, Outcome outcome);
  /// For what is learnt without a call: a connection was made, or was lost, or could not be made.
  /// They count as calls do; a success always closes the breaker, a failure also ends the probe.
  void note_success();
  void note_failure();

  [[nodiscard]] State state() const;
  /// When the next call is allowed; only while open.
  [[nodiscard]] base::TimePoint open_until() const { return open_until_; }
  /// How often it has opened, failed probes included.
  [[nodiscard]] std::uint64_t opened_count() const { return opened_count_.value(); }

 private:
  void open();
  void close();
  void count(bool failed);
  [[nodiscard]] bool is_too_much() const;

  const BreakerOptions options_;
  const base::Clock& clock_;
  base::Random& random_;
  BreakerListener* const listener_;

  // Counts changes of state; a ticket remembers it, so that results of an earlier state are
  // ignored.
  std::uint64_t epoch_ = 0;
  bool is_open_ = false;
  bool probing_ = false;
  base::TimePoint open_until_{};
  // How often it opened since it was last closed; each time doubles how long it stays open.
  std::uint32_t openings_in_a_row_ = 0;
  base::CounterCell opened_count_;
  std::uint32_t failures_in_a_row_ = 0;
  // One bit per call, the last is the lowest; set if it failed.
  std::uint64_t window_ = 0;
  std::uint32_t window_size_ = 0;
};

}  // namespace millrace::net
