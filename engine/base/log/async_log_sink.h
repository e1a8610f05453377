#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/log/log_record.h"
#include "base/log/log_sink.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"

namespace millrace::base {

struct AsyncLogOptions {
  LogFormat format = LogFormat::kJson;
  int descriptor = 2;            ///< where lines go; stderr
  std::size_t lines_max = 8192;  ///< that wait; what comes beyond is dropped and counted
  /// How long the destructor goes on writing to a reader that takes nothing.
  Duration patience = std::chrono::seconds(1);
};

/// Writes whole lines from a thread of its own, so that a reader that takes nothing (a full pipe, a
/// terminal on hold) stops nobody who logs: lines wait, and beyond a bound they are dropped.
///
/// Lines of some milliseconds leave together, because waking the thread and calling the kernel cost
/// far more than a line; a warning leaves at once, with what waits before it. The thread waits
/// until the descriptor can take some bytes before it writes, and writes no more than a pipe then
/// takes without blocking. So it can always be ended. Threading: any thread. Lifetime: borrows the
/// descriptor.
class AsyncLogSink final : public LogSink {
 public:
  explicit AsyncLogSink(AsyncLogOptions options);
  /// Writes what waits, unless the reader takes nothing.
  ~AsyncLogSink() override;

  void write(const LogRecord& record) override MR_EXCLUDES(mutex_);
  /// Waits until all lines are written, but not longer than the patience of the options. For a
  /// process that ends without its destructors.
  void flush() MR_EXCLUDES(mutex_);
  /// Lines that were dropped so far.
  [[nodiscard]] std::uint64_t dropped_count() const {
    return dropped_.load(std::memory_order_relaxed);
  }

 private:
  void run() MR_EXCLUDES(mutex_);
  /// Takes all waiting lines, as one text; waits for the first and for those that follow soon.
  /// False: there are none and none will come.
  [[nodiscard]] bool take(std::string& text) MR_EXCLUDES(mutex_);
  /// Writes the text; false if the reader has gone or takes nothing while the sink ends.
  [[nodiscard]] bool write_all(const std::string& text);

  // Constant after construction.
  const AsyncLogOptions options_;
  const bool is_file_;  // which never blocks for a reader

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::string lines_ MR_GUARDED_BY(mutex_);
  std::size_t line_count_ MR_GUARDED_BY(mutex_) = 0;
  bool is_urgent_ MR_GUARDED_BY(mutex_) = false;  // they must not wait for more
  bool is_writing_ MR_GUARDED_BY(mutex_) = false;
  bool is_ending_ MR_GUARDED_BY(mutex_) = false;
  // A count that publishes nothing.
  std::atomic<std::uint64_t> dropped_{0};
  // Tells the thread to lose patience; publishes nothing else.
  std::atomic<bool> must_end_{false};

  std::thread thread_;
};

}  // namespace millrace::base
