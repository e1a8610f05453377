#include "base/settings/setting_spec.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/formats/duration_text.h"
#include "base/problems/message_text.h"

namespace millrace::base {
namespace {

using Outcome = std::variant<SettingValue, SettingProblem>;

constexpr std::string_view kSizeHint = "a whole number of bytes, or one with a unit, as '64KiB'";

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view item = text.substr(0, comma);
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (!item.empty()) items.emplace_back(item);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return items;
}

SettingProblem bad_value(const SettingSpec& spec, std::string_view text, std::string hint) {
  return {.message = spec.is_secret ? format("'{}' has a bad value", spec.name)
                                    : format("'{}' cannot be '{}'", spec.name, shortened(text)),
          .hint = std::move(hint)};
}

std::string range_hint(const SettingSpec& spec) {
  if (spec.most == std::numeric_limits<std::int64_t>::max())
    return format("{} or more", spec.least);
  return format("from {} to {}", spec.least, spec.most);
}

bool is_in_range(const SettingSpec& spec, std::int64_t value) {
  return value >= spec.least && value <= spec.most;
}

Outcome read_integer(const SettingSpec& spec, std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end) return bad_value(spec, text, "a whole number");
  if (!is_in_range(spec, value)) return bad_value(spec, text, range_hint(spec));
  return SettingValue(value);
}

Outcome read_size(const SettingSpec& spec, std::string_view text) {
  const auto bytes = parse_size(text);
  if (!bytes) return bad_value(spec, text, std::string(kSizeHint));
  if (!is_in_range(spec, *bytes)) return bad_value(spec, text, range_hint(spec) + " bytes");
  return SettingValue(*bytes);
}

Outcome read_duration(const SettingSpec& spec, std::string_view text) {
  const bool is_zero = text == "0" || text == "0s" || text == "0ms";
  if (is_zero && spec.least <= 0) return SettingValue(Duration(0));
  const auto duration = parse_duration(text);
  if (!duration) return bad_value(spec, text, std::string(kDurationHint));
  if (!is_in_range(spec, duration->count()))
    return bad_value(
        spec, text, format("from {}ms to {}ms", spec.least / 1'000'000, spec.most / 1'000'000));
  return SettingValue(*duration);
}

Outcome read_choice(const SettingSpec& spec, std::string_view text) {
  if (std::ranges::find(spec.choices, text) == spec.choices.end())
    return bad_value(spec, text, one_of(spec.choices));
  return SettingValue(std::string(text));
}

}  // namespace

std::string_view to_string(SettingKind kind) {
  switch (kind) {
    case SettingKind::kText:
      return "text";
    case SettingKind::kTextList:
      return "list";
    case SettingKind::kFlag:
      return "true or false";
    case SettingKind::kInteger:
      return "integer";
    case SettingKind::kDuration:
      return "duration";
    case SettingKind::kSize:
      return "size";
    case SettingKind::kChoice:
      return "choice";
  }
  return "text";
}

std::optional<std::int64_t> parse_size(std::string_view text) {
  std::int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc{} || count < 0) return std::nullopt;
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const int shift = unit.empty() || unit == "B" ? 0
                    : unit == "KiB"             ? 10
                    : unit == "MiB"             ? 20
                    : unit == "GiB"             ? 30
                                                : -1;
  if (shift < 0 || count > (std::numeric_limits<std::int64_t>::max() >> shift)) return std::nullopt;
  return count << shift;
}

Outcome read_setting(const SettingSpec& spec, std::string_view text) {
  switch (spec.kind) {
    case SettingKind::kText:
      return SettingValue(std::string(text));
    case SettingKind::kTextList:
      return SettingValue(split_list(text));
    case SettingKind::kFlag:
      if (text == "true") return SettingValue(true);
      if (text == "false") return SettingValue(false);
      return bad_value(spec, text, "true or false");
    case SettingKind::kInteger:
      return read_integer(spec, text);
    case SettingKind::kDuration:
      return read_duration(spec, text);
    case SettingKind::kSize:
      return read_size(spec, text);
    case SettingKind::kChoice:
      return read_choice(spec, text);
  }
  return bad_value(spec, text, "");
}

std::string variable_of(const SettingSpec& spec) {
  std::string name = "RANKD_";
  for (const char letter : spec.name) {
    name +=
        letter == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return name;
}

}  // namespace millrace::base
