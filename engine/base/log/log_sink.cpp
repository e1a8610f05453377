#include "base/log/log_sink.h"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/log/log_record.h"
#include "base/sync/mutex.h"

namespace millrace::base {

void StreamLogSink::write(const LogRecord& record) {
  std::string line = format_ == LogFormat::kJson ? to_json(record) : to_text(record);
  line += '\n';
  const MutexLock lock(mutex_);
  // A log that cannot be written has nowhere to say so.
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stream_));
  static_cast<void>(std::fflush(stream_));
}

void MemoryLogSink::write(const LogRecord& record) {
  std::string line = to_json(record);
  const MutexLock lock(mutex_);
  lines_.push_back(std::move(line));
}

std::vector<std::string> MemoryLogSink::lines() const {
  const MutexLock lock(mutex_);
  return lines_;
}

}  // namespace millrace::base
