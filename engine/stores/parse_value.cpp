#include "stores/parse_value.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"

namespace millrace::stores {

namespace {

constexpr std::size_t kShownBytesMax = 40;

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int64_t> parse_int64(std::string_view text) {
  return parse_number<std::int64_t>(text);
}

std::optional<double> parse_float64(std::string_view text) {
  const std::optional<double> value = parse_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<double> parse_score(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const std::optional<double> value = parse_number<double>(text);
  return value && !std::isnan(*value) ? value : std::nullopt;
}

std::optional<bool> parse_bool(std::string_view text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

base::Error not_int64(std::string_view what,
                      std::string_view key,
                      std::size_t position,
                      std::string_view value) {
  return base::Error(base::ErrorCode::kNodeFailed,
                     "An item of a " + std::string(what) + " is no 64-bit integer: key " +
                         std::string(key) + ", position " + std::to_string(position) + ", value " +
                         std::string(value.substr(0, kShownBytesMax)),
                     std::string(key) + "[" + std::to_string(position) + "]");
}

base::Error member_not_int64(std::string_view key, std::string_view value) {
  return base::Error(base::ErrorCode::kNodeFailed,
                     "A member of a set is no 64-bit integer: key " + std::string(key) +
                         ", value " + std::string(value.substr(0, kShownBytesMax)),
                     std::string(key));
}

base::Error set_too_large(std::string_view key, std::size_t count, std::int64_t count_max) {
  return base::Error(base::ErrorCode::kResourceExhausted,
                     "A set has more members than the " + std::to_string(count_max) +
                         " that are read of one: key " + std::string(key) + ", " +
                         std::to_string(count) + " members",
                     std::string(key));
}

}  // namespace millrace::stores
