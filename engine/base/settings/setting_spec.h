#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"

// A setting as data: its name, type, default and meaning. Flags, environment, settings file, the
// printed settings and the reference page all come from tables of these.

namespace millrace::base {

enum class SettingKind : std::uint8_t {
  kText,
  kTextList,  ///< separated by commas
  kFlag,      ///< true or false
  kInteger,
  kDuration,  ///< with a unit: `50ms`; `0` where the least is 0
  kSize,      ///< bytes, with or without a unit: `64KiB`, `1MiB`
  kChoice,    ///< one of `choices`
};

/// Gives the name people see, as `duration`.
[[nodiscard]] std::string_view to_string(SettingKind kind);

/// One setting. Lifetime: borrows texts that live as long as the process.
struct SettingSpec {
  std::string_view name;  ///< `section.name`, lower case
  SettingKind kind = SettingKind::kText;
  std::string_view initial = {};  ///< the default, as a person would write it
  std::string_view help = {};     ///< one sentence
  std::string_view flag = {};     ///< the flag that sets it too, as `--listen`
  bool is_hot = false;            ///< a reload changes it
  bool is_secret = false;         ///< never shown; cannot be given on the command line
  std::int64_t least = 0;         ///< of integers and sizes; of durations in nanoseconds
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::span<const std::string_view> choices = {};
};

/// The value of a setting after it was read.
using SettingValue =
    std::variant<std::string, std::vector<std::string>, bool, std::int64_t, Duration>;

/// What is wrong with a text that should be the value of a setting.
struct SettingProblem {
  std::string message;
  std::string hint = {};
};

/// Reads the text of a value. Gives the value, or what is wrong with it.
[[nodiscard]] std::variant<SettingValue, SettingProblem> read_setting(const SettingSpec& spec,
                                                                      std::string_view text);

/// Reads bytes: a whole number, alone or with `B`, `KiB`, `MiB` or `GiB`.
[[nodiscard]] std::optional<std::int64_t> parse_size(std::string_view text);

/// The variable of the environment that sets it: RANKD, section and name in capitals, joined by
/// underscores.
[[nodiscard]] std::string variable_of(const SettingSpec& spec);

}  // namespace millrace::base
