#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log/log_record.h"
#include "base/log/log_sink.h"
#include "base/log/repeat_limit.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "base/wall_clock.h"

namespace millrace::base {

struct LoggerOptions {
  /// Lines below this level are dropped before they cost anything.
  LogLevel level_min = LogLevel::kInfo;
  /// Applies to warnings, errors and what `write_limited` writes, per event.
  RepeatLimitOptions repeats = {};
};

/// Turns events into log lines: drops what is below the level, stamps the time, and holds back
/// warnings and errors that repeat too often. The next line of that event says how many were held
/// back; if none comes, a `repeats_suppressed` line does, before a later warning of another event
/// or when the logger ends.
/// Threading: any thread; never blocks on anything but the sink.
/// Lifetime: borrows the sink and the clocks.
class Logger {
 public:
  explicit Logger(LogSink& sink,
                  LoggerOptions options = {},
                  const WallClock& wall_clock = system_wall_clock(),
                  const Clock& clock = steady_clock());
  /// Reports what is still held back.
  ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  [[nodiscard]] bool is_enabled(LogLevel level) const { return level >= options_.level_min; }

  /// Writes one line: `log.write(LogLevel::kInfo, "run_end", "Run finished", {{"nodes", 10}})`.
  void write(LogLevel level,
             std::string_view event,
             std::string_view message,
             std::initializer_list<LogField> fields = {});
  /// Writes one line that is held back if its event repeats too often, whatever its level. For
  /// information that a peer can cause in any number.
  void write_limited(LogLevel level,
                     std::string_view event,
                     std::string_view message,
                     std::initializer_list<LogField> fields = {});

  void debug(std::string_view event,
             std::string_view message,
             std::initializer_list<LogField> fields = {}) {
    write(LogLevel::kDebug, event, message, fields);
  }
  void info(std::string_view event,
            std::string_view message,
            std::initializer_list<LogField> fields = {}) {
    write(LogLevel::kInfo, event, message, fields);
  }
  void warning(std::string_view event,
               std::string_view message,
               std::initializer_list<LogField> fields = {}) {
    write(LogLevel::kWarning, event, message, fields);
  }
  void error(std::string_view event,
             std::string_view message,
             std::initializer_list<LogField> fields = {}) {
    write(LogLevel::kError, event, message, fields);
  }

 private:
  void write_unlimited(LogLevel level,
                       std::string_view event,
                       std::string_view message,
                       std::initializer_list<LogField> fields,
                       std::uint64_t suppressed_count);
  /// Writes a `repeats_suppressed` line for each event that fell silent while lines were held back.
  void report(const std::vector<RepeatLimit::Held>& ended);

  // Constant after construction.
  LogSink& sink_;
  const LoggerOptions options_;
  const WallClock& wall_clock_;
  const Clock& clock_;

  Mutex mutex_;
  RepeatLimit repeats_ MR_GUARDED_BY(mutex_);
  TimePoint next_report_ MR_GUARDED_BY(mutex_) = TimePoint::min();
};

}  // namespace millrace::base
