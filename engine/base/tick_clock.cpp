#include "base/tick_clock.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>

#include "base/clock.h"

namespace millrace::base {
namespace {

// The first comparison of counter and clock is short, so that times are available soon. Later ones
// take longer and are precise; repeating them follows the corrections that the system makes to its
// clock.
constexpr Duration kWindowMin = std::chrono::milliseconds(10);
constexpr Duration kWindowMax = std::chrono::seconds(1);
// The clock is read between two readings of the counter. If more ticks than this passed between
// the two, another thread had the processor in between, and the readings are not used.
constexpr std::uint64_t kTicksApartMax = 10'000;
constexpr int kReadingsMax = 3;

// A clock is corrected by less than a thousandth. More than this means that one of the two stood
// still while the other went on, as when a machine sleeps.
bool contradict(std::uint64_t rate, std::uint64_t last_rate) {
  const std::uint64_t apart = rate > last_rate ? rate - last_rate : last_rate - rate;
  return last_rate != 0 && apart > last_rate / 128;
}

}  // namespace

bool has_steady_ticks() {
#if defined(__x86_64__)
  static const bool has = [] {
    std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    std::string name;
    return std::getline(file, name) && name == "tsc";
  }();
  return has;
#else
  return false;
#endif
}

TickClock::TickClock(const Clock& clock)
    : clock_(clock),
      has_ticks_(clock.is_steady_clock() && has_steady_ticks()),
      window_(kWindowMin) {
  // The first reading begins the first comparison.
  static_cast<void>(anchor());
}

TickAnchor TickClock::anchor() {
  if (!has_ticks_) return {.time = clock_.now()};
  for (int reading = 0; reading < kReadingsMax; ++reading) {
    const std::uint64_t before = read_ticks();
    const TimePoint time = clock_.now();
    const std::uint64_t ticks = read_ticks();
    if (ticks - before > kTicksApartMax) continue;
    if (time.time_since_epoch().count() >= due_ns_.load(std::memory_order_relaxed))
      compare(time, ticks);
    return {.time = time, .ticks = ticks, .ns_per_tick = ns_per_tick()};
  }
  return {.time = clock_.now()};
}

void TickClock::compare(TimePoint time, std::uint64_t ticks) {
  if (is_comparing_.test_and_set(std::memory_order_acquire)) return;
  const Duration passed = time - begin_time_;
  if (!has_begin_ || ticks <= begin_ticks_ || passed.count() <= 0) {
    has_begin_ = true;
    begin_time_ = time;
    begin_ticks_ = ticks;
  } else if (passed >= window_) {
    const auto rate = static_cast<std::uint64_t>(0x1p32 * static_cast<double>(passed.count()) /
                                                 static_cast<double>(ticks - begin_ticks_));
    const bool is_odd = contradict(rate, ns_per_tick());
    // Until a new comparison has ended, times come from the clock itself.
    ns_per_tick_.store(is_odd ? 0 : rate, std::memory_order_relaxed);
    window_ = is_odd ? kWindowMin : std::min(2 * window_, kWindowMax);
    begin_time_ = time;
    begin_ticks_ = ticks;
  }
  due_ns_.store((begin_time_ + window_).time_since_epoch().count(), std::memory_order_relaxed);
  is_comparing_.clear(std::memory_order_release);
}

}  // namespace millrace::base
