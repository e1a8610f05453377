#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/wall_clock.h"

namespace millrace::base {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };

/// Gives `debug`, `info`, `warn` or `error`.
[[nodiscard]] std::string_view to_string(LogLevel level);

/// One named value of a log line: `{"node", "fetch"}`, `{"rows", 40}`.
/// Lifetime: borrows its texts; lives for one call of the logger.
class LogField {
 public:
  using Value = std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool>;

  LogField(std::string_view key, std::string_view text) : key_(key), value_(text) {}
  LogField(std::string_view key, const char* text) : key_(key), value_(std::string_view(text)) {}
  LogField(std::string_view key, const std::string& text)
      : key_(key), value_(std::string_view(text)) {}
  LogField(std::string_view key, double number) : key_(key), value_(number) {}
  LogField(std::string_view key, std::same_as<bool> auto flag) : key_(key), value_(flag) {}
  LogField(std::string_view key, std::signed_integral auto number)
      : key_(key), value_(static_cast<std::int64_t>(number)) {}
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  LogField(std::string_view key, T number)
      : key_(key), value_(static_cast<std::uint64_t>(number)) {}

  [[nodiscard]] std::string_view key() const { return key_; }
  [[nodiscard]] const Value& value() const { return value_; }

 private:
  std::string_view key_;
  Value value_;
};

/// One log line before it has a form.
/// Lifetime: borrows all its texts; lives for one call of a sink.
struct LogRecord {
  WallTime time;
  LogLevel level = LogLevel::kInfo;
  /// A short stable name for machines, snake_case: `run_refused`.
  std::string_view event;
  /// A sentence for people.
  std::string_view message;
  std::span<const LogField> fields;
  /// How many lines like this one were held back since the last that was written.
  std::uint64_t suppressed_count = 0;
};

/// Gives one JSON object without a line break: `ts`, `level`, `msg`, `event`, then the fields in
/// their order, then `suppressed` if lines were held back.
[[nodiscard]] std::string to_json(const LogRecord& record);

/// Gives one line for terminals, without a line break: `time LEVEL event: message key=value...`.
/// Texts with spaces, quotes or control characters are quoted as in JSON.
[[nodiscard]] std::string to_text(const LogRecord& record);

}  // namespace millrace::base
