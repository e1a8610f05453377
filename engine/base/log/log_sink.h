#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "base/log/log_record.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"

namespace millrace::base {

/// Where log lines go.
/// Threading: any thread.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void write(const LogRecord& record) = 0;
};

enum class LogFormat : std::uint8_t { kJson, kText };

/// Writes whole lines to a C stream, stderr unless told otherwise; lines of two threads never mix.
/// Lifetime: borrows the stream.
class StreamLogSink final : public LogSink {
 public:
  explicit StreamLogSink(LogFormat format, std::FILE* stream = stderr)
      : format_(format), stream_(stream) {}
  void write(const LogRecord& record) override;

 private:
  const LogFormat format_;
  Mutex mutex_;
  std::FILE* const stream_ MR_GUARDED_BY(mutex_);
};

/// Keeps lines in memory as JSON, for tests.
class MemoryLogSink final : public LogSink {
 public:
  void write(const LogRecord& record) override;
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  mutable Mutex mutex_;
  std::vector<std::string> lines_ MR_GUARDED_BY(mutex_);
};

}  // namespace millrace::base
