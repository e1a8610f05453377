#include "base/wall_clock.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace millrace::base {
namespace {

/// Writes a number over `width` characters of the text, with leading zeros.
void put_digits(std::string& text, std::size_t place, std::size_t width, std::uint64_t number) {
  for (std::size_t index = place + width; index-- > place; number /= 10)
    text[index] = static_cast<char>('0' + number % 10);
}

}  // namespace

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
  std::string text = "0000-00-00T00:00:00.000000Z";
  put_digits(text, 0, 4, static_cast<unsigned>(static_cast<int>(date.year())));
  put_digits(text, 5, 2, static_cast<unsigned>(date.month()));
  put_digits(text, 8, 2, static_cast<unsigned>(date.day()));
  put_digits(text, 11, 2, static_cast<std::uint64_t>(clock.hours().count()));
  put_digits(text, 14, 2, static_cast<std::uint64_t>(clock.minutes().count()));
  put_digits(text, 17, 2, static_cast<std::uint64_t>(clock.seconds().count()));
  put_digits(text, 20, 6, static_cast<std::uint64_t>(clock.subseconds().count()));
  return text;
}

}  // namespace millrace::base
