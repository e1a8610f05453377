#include "base/wall_clock.h"

#include <chrono>
#include <string>

#include "base/format.h"

namespace millrace::base {

const WallClock& system_wall_clock() {
  static const SystemWallClock clock;
  return clock;
}

std::string to_rfc3339(WallTime time) {
  using std::chrono::microseconds;
  const auto moment = std::chrono::floor<microseconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss<microseconds> clock(moment - day);
  return base::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z",
                      static_cast<int>(date.year()),
                      static_cast<unsigned>(date.month()),
                      static_cast<unsigned>(date.day()),
                      clock.hours().count(),
                      clock.minutes().count(),
                      clock.seconds().count(),
                      clock.subseconds().count());
}

}  // namespace millrace::base
