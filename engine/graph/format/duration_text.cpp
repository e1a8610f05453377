#include "graph/format/duration_text.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/clock.h"
#include "base/format.h"

namespace millrace::graph {
namespace {

struct DurationUnit {
  std::string_view name;
  std::int64_t nanoseconds;
};

// In this order, because `20ms` also ends with the name of seconds.
constexpr DurationUnit kDurationUnits[] = {
    {"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}};

std::optional<base::Duration> scaled(std::string_view number, std::int64_t scale) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::int64_t whole = 0;
  const char* const end = number.data() + number.size();
  auto [rest, error] = std::from_chars(number.data(), end, whole);
  if (error != std::errc() || whole < 0 || number.starts_with('-')) return std::nullopt;
  if (whole > kMax / scale) return std::nullopt;
  std::int64_t total = whole * scale;
  if (rest == end) return base::Duration(total);
  if (*rest != '.' || ++rest == end) return std::nullopt;
  for (std::int64_t place = scale; rest != end; ++rest) {
    if (*rest < '0' || *rest > '9') return std::nullopt;
    place /= 10;
    const std::int64_t part = (*rest - '0') * place;
    if (part > kMax - total) return std::nullopt;
    total += part;
  }
  return base::Duration(total);
}

}  // namespace

std::optional<base::Duration> find_duration(std::string_view text) {
  for (const DurationUnit& unit : kDurationUnits) {
    if (!text.ends_with(unit.name)) continue;
    const auto read = scaled(text.substr(0, text.size() - unit.name.size()), unit.nanoseconds);
    return read && *read <= kDurationMax ? read : std::nullopt;
  }
  return std::nullopt;
}

base::Duration from_milliseconds(std::int64_t count) {
  using std::chrono::milliseconds;
  const auto low = std::chrono::ceil<milliseconds>(base::Duration::min());
  const auto high = std::chrono::floor<milliseconds>(base::Duration::max());
  return std::clamp(milliseconds(count), low, high);
}

std::string duration_text(base::Duration duration) {
  const std::int64_t count = std::chrono::nanoseconds(duration).count();
  if (count == 0) return "0ms";
  std::string shortest = base::format("{}ns", count);
  for (const DurationUnit& unit : kDurationUnits) {
    if (count % unit.nanoseconds == 0) {
      shortest = base::format("{}{}", count / unit.nanoseconds, unit.name);
    }
  }
  return shortest;
}

}  // namespace millrace::graph
