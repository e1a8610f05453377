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

Logger::~Logger() {
  std::vector<RepeatLimit::Held> ended;
  {
    const MutexLock lock(mutex_);
    ended = repeats_.take_ended(TimePoint::max());
  }
  report(ended);
}

void Logger::write(LogLevel level,
                   std::string_view event,
                   std::string_view message,
                   std::initializer_list<LogField> fields) {
  if (level >= LogLevel::kWarning) return write_limited(level, event, message, fields);
  if (is_enabled(level)) write_unlimited(level, event, message, fields, 0);
}

void Logger::write_limited(LogLevel level,
                           std::string_view event,
                           std::string_view message,
                           std::initializer_list<LogField> fields) {
  if (!is_enabled(level)) return;
  std::optional<std::uint64_t> suppressed_count;
  std::vector<RepeatLimit::Held> ended;
  {
    const MutexLock lock(mutex_);
    const TimePoint now = clock_.now();
    suppressed_count = repeats_.try_pass(event, now);
    if (now >= next_report_) {
      ended = repeats_.take_ended(now);
      next_report_ = now + options_.repeats.window;
    }
  }
  report(ended);
  if (suppressed_count) write_unlimited(level, event, message, fields, *suppressed_count);
}

void Logger::write_unlimited(LogLevel level,
                             std::string_view event,
                             std::string_view message,
                             std::initializer_list<LogField> fields,
                             std::uint64_t suppressed_count) {
  sink_.write({.time = wall_clock_.now(),
               .level = level,
               .event = event,
               .message = message,
               .fields = fields,
               .suppressed_count = suppressed_count});
}

void Logger::report(const std::vector<RepeatLimit::Held>& ended) {
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
