#include "base/formats/duration_text.h"

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/clock.h"

namespace millrace::base {

std::optional<Duration> parse_duration(std::string_view text) {
  std::int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc{} || count <= 0) return std::nullopt;
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const Duration one = unit == "us"   ? Duration(std::chrono::microseconds(1))
                       : unit == "ms" ? Duration(std::chrono::milliseconds(1))
                       : unit == "s"  ? Duration(std::chrono::seconds(1))
                                      : Duration(0);
  if (one.count() == 0 || count > std::chrono::hours(1) / one) return std::nullopt;
  return one * count;
}

}  // namespace millrace::base
