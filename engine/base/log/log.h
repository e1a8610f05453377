#pragma once

#include <initializer_list>
#include <string_view>

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
  /// Applies to warnings and errors, per event.
  RepeatLimitOptions repeats = {};
};

/// Turns events into log lines: drops what is below the level, stamps the time, and holds back
/// warnings and errors that repeat too often (the next one that passes says how many were held
/// back). Threading: any thread; never blocks on anything but the sink. Lifetime: borrows the sink
/// and the clocks.
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

  /// Writes a `repeats_suppressed` line for every event that fell silent while lines were held
  /// back. Call it now and then, for example from a housekeeping timer.
  void report_suppressed();

 private:
  void report_suppressed_until(TimePoint time);

  // Constant after construction.
  LogSink& sink_;
  const LoggerOptions options_;
  const WallClock& wall_clock_;
  const Clock& clock_;

  Mutex mutex_;
  RepeatLimit repeats_ MR_GUARDED_BY(mutex_);
};

}  // namespace millrace::base
