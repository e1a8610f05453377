#include "runtime/sharing_prices.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <thread>

#include "base/clock.h"
#include "base/sync/asymmetric_fence.h"
#include "base/sync/atomics.h"
#include "base/sync/parking.h"
#include "base/sync/processor_move.h"

namespace millrace::runtime {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

constexpr base::Duration kMeasuringMax = std::chrono::milliseconds(2);  // for each round
constexpr base::Duration kLineMax = nanoseconds(170);  // more is due to other programs
constexpr base::Duration kLooking = nanoseconds(30);   // of both sides, with the clock
constexpr int kRoundsMax = 4;

/// Two threads that pass a number to and fro.
/// Threading: the constructor's thread calls the members; a second thread answers.
class Partner {
 public:
  explicit Partner(const base::Clock& clock)
      : clock_(clock), thread_([this](const std::stop_token& stop) { answer(stop); }) {}
  ~Partner() {
    thread_.request_stop();
    static_cast<void>(spot_.notify());
    sent_.fetch_add(1);
  }
  Partner(const Partner&) = delete;
  Partner& operator=(const Partner&) = delete;

  /// Sees to it that the two run on different processors: on one they would measure how it is
  /// shared.
  void part() {
    asker_.store(base::current_processor());
    send_and_await();
    asker_.store(kNobody);
    send_and_await();
  }
  /// Time for a cache line to get to the other thread, which looks: half of the time until it has
  /// answered.
  [[nodiscard]] base::Duration time_line() {
    const base::TimePoint begin = clock_.now();
    send_and_await();
    return (clock_.now() - begin) / 2 - kLooking;
  }
  /// The same while it sleeps.
  [[nodiscard]] base::Duration time_wake() {
    sleeps_.store(true);
    send_and_await();
    while (!spot_.is_waiting()) base::StdAtomics::pause();
    // It has said that it will sleep; then it does.
    const base::TimePoint asleep = clock_.now() + microseconds(20);
    while (clock_.now() < asleep) base::StdAtomics::pause();
    sleeps_.store(false);
    const base::TimePoint begin = clock_.now();
    sent_.fetch_add(1);
    static_cast<void>(spot_.notify());
    await();
    return clock_.now() - begin;
  }

 private:
  void send_and_await() {
    sent_.fetch_add(1, std::memory_order_release);
    await();
  }
  void await() {
    const std::uint32_t wanted = sent_.load(std::memory_order_relaxed);
    for (int look = 0; answered_.load(std::memory_order_acquire) != wanted; ++look) pause(look);
  }
  static void pause(int look) {
    constexpr int kLooks = 2'000;  // then the other thread may need this processor
    look < kLooks ? base::StdAtomics::pause() : base::StdAtomics::yield();
  }
  void answer(const std::stop_token& stop) {
    std::uint32_t seen = 0;
    while (!stop.stop_requested()) {
      for (int look = 0; sent_.load(std::memory_order_acquire) == seen; ++look) pause(look);
      seen = sent_.load(std::memory_order_relaxed);
      if (const int asker = asker_.load(); asker == base::current_processor())
        static_cast<void>(base::leave_processor(asker));
      // Before the answer: after it the other thread may have set it for its next turn.
      const bool sleeps = sleeps_.load();
      answered_.store(seen, std::memory_order_release);
      if (!sleeps) continue;
      spot_.announce();
      base::heavy_fence();
      static_cast<void>(stop.stop_requested() ? spot_.cancel() : spot_.wait(std::nullopt));
    }
  }

  const base::Clock& clock_;
  // Each publishes that the other side is done with its turn.
  alignas(base::kApartBytes) std::atomic<std::uint32_t> sent_{0};
  alignas(base::kApartBytes) std::atomic<std::uint32_t> answered_{0};
  std::atomic<bool> sleeps_{false};  // the partner is to sleep after its answer
  static constexpr int kNobody = -1;
  std::atomic<int> asker_{kNobody};  // the processor that the partner is to leave
  base::ParkingSpot<> spot_;
  std::jthread thread_;
};

template <class Sample>
base::Duration least_of(const base::Clock& clock, int count, Sample sample) {
  const base::TimePoint until = clock.now() + kMeasuringMax;
  base::Duration least = sample();
  for (int index = 1; index < count && clock.now() < until; ++index)
    least = std::min(least, sample());
  return least;
}

}  // namespace

base::Duration bundle_price(base::Duration hand_over) {
  constexpr int kHandOvers = 21;
  return std::clamp<base::Duration>(kHandOvers * hand_over, microseconds(4), microseconds(40));
}

SharingPrices measure_sharing_prices(const base::Clock& clock) {
  Partner partner(clock);
  // The reading of the clock is a part of each: short against a wake, and a hand-over is followed
  // by as much work in a pool.
  base::Duration line = base::Duration::max();
  for (int round = 0; round < kRoundsMax && line > kLineMax; ++round) {
    partner.part();
    line = std::min(line, least_of(clock, 64, [&] { return partner.time_line(); }));
  }
  const base::Duration hand_over =
      std::clamp(SharingPrices::hand_over_by(line), kHandOverMin, kHandOverMax);
  const base::Duration wake = std::clamp<base::Duration>(
      least_of(clock, 8, [&] { return partner.time_wake(); }), microseconds(5), microseconds(50));
  return {.hand_over = hand_over, .wake = wake, .bundle = bundle_price(hand_over)};
}

const SharingPrices& machine_prices() {
  static const SharingPrices prices = measure_sharing_prices(base::steady_clock());
  return prices;
}

}  // namespace millrace::runtime
