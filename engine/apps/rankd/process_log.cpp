#include "apps/rankd/process_log.h"

#include <chrono>
#include <cstdio>

#include <unistd.h>

#include "apps/rankd/flags.h"
#include "base/log/log.h"
#include "base/log/log_record.h"
#include "base/log/log_sink.h"

namespace millrace::rankd {
namespace {

// An endpoint that is down is tried several times a second, for as long as it is down.
constexpr base::RepeatLimitOptions kRepeats{.burst_max = 5, .window = std::chrono::seconds(10)};

}  // namespace

base::LogFormat log_format_of(const Flags& flags, bool is_terminal) {
  return flags.log_format.value_or(is_terminal ? base::LogFormat::kText : base::LogFormat::kJson);
}

base::LogLevel log_level_of(const Flags& flags) {
  return flags.log_level.value_or(base::LogLevel::kWarning);
}

ProcessLog::ProcessLog(const Flags& flags, std::FILE* stream)
    : sink_(log_format_of(flags, isatty(fileno(stream)) == 1), stream),
      logger_(sink_, {.level_min = log_level_of(flags), .repeats = kRepeats}) {}

}  // namespace millrace::rankd
