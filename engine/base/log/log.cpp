#include "base/log/log.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log/log_record.h"
#include "base/log/log_sink.h"
#include "base/log/repeat_limit.h"
#include "base/sync/mutex.h"
#include "base/wall_clock.h"

namespace millrace::base {

Logger::Logger(LogSink& sink,
               LoggerOptions options,
               const WallClock& wall_clock,
               const Clock& clock)
    : sink_(sink),
      options_(options),
      wall_clock_(wall_clock),
      clock_(clock),
      repeats_(options.repeats) {}

Logger::~Logger() { report_suppressed_until(TimePoint::max()); }

void Logger::write(LogLevel level,
                   std::string_view event,
                   std::string_view message,
                   std::initializer_list<LogField> fields) {
  if (!is_enabled(level)) return;
  std::uint64_t suppressed_count = 0;
  if (level >= LogLevel::kWarning) {
    const MutexLock lock(mutex_);
    const std::optional<std::uint64_t> passed = repeats_.try_pass(event, clock_.now());
    if (!passed) return;
    suppressed_count = *passed;
  }
  sink_.write({.time = wall_clock_.now(),
               .level = level,
               .event = event,
               .message = message,
               .fields = fields,
               .suppressed_count = suppressed_count});
}

void Logger::report_suppressed() { report_suppressed_until(clock_.now()); }

void Logger::report_suppressed_until(TimePoint time) {
  std::vector<RepeatLimit::Held> ended;
  {
    const MutexLock lock(mutex_);
    ended = repeats_.take_ended(time);
  }
  for (const RepeatLimit::Held& held : ended) {
    const std::array<LogField, 1> fields{LogField("of", held.key)};
    sink_.write({.time = wall_clock_.now(),
                 .level = LogLevel::kWarning,
                 .event = "repeats_suppressed",
                 .message = "Lines were held back because they repeated too often",
                 .fields = fields,
                 .suppressed_count = held.count});
  }
}

}  // namespace millrace::base
