#pragma once

#include <cstdio>

#include "apps/rankd/flags.h"
#include "base/log/log.h"
#include "base/log/log_record.h"
#include "base/log/log_sink.h"

namespace millrace::rankd {

/// The form of log lines: as the flags say, else text for a terminal and JSON for anything else.
[[nodiscard]] base::LogFormat log_format_of(const Flags& flags, bool is_terminal);

/// The lowest level that is logged: as the flags say, else warn, so that a pipe in which all is
/// well shows nothing but answers.
[[nodiscard]] base::LogLevel log_level_of(const Flags& flags);

/// The log of the process.
/// Threading: one thread makes and destroys it; the logger is for any thread.
class ProcessLog {
 public:
  explicit ProcessLog(const Flags& flags, std::FILE* stream = stderr);

  [[nodiscard]] base::Logger& logger() { return logger_; }

 private:
  base::StreamLogSink sink_;
  base::Logger logger_;
};

}  // namespace millrace::rankd
