#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/log/log.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "observe/finished_request.h"

namespace millrace::observe {

struct SlowCaptureOptions {
  std::string folder = {};                         ///< made if it is not there
  base::Duration pause = std::chrono::seconds(1);  ///< between two captures
  std::size_t files_max = 100;
  std::size_t bytes_max = std::size_t{64} << 20U;
};

/// Writes the traces of slow requests to files `slow-ID.json` that Perfetto opens (S43).
///
/// At most one a second is taken, so that a slow hour costs no more than a slow second. The oldest
/// files of ours make room for new ones, those of earlier lives of the process too. A thread of its
/// own writes, so that a slow disk delays no request.
/// Threading: any thread. Lifetime: borrows logger and clock.
class SlowCapture {
 public:
  /// Fails if the folder cannot be made or read. `log` may be null.
  [[nodiscard]] static base::Result<std::unique_ptr<SlowCapture>> open(
      SlowCaptureOptions options,
      base::Logger* log,
      const base::Clock& clock = base::steady_clock());
  /// Writes what was taken before.
  ~SlowCapture();
  SlowCapture(const SlowCapture&) = delete;
  SlowCapture& operator=(const SlowCapture&) = delete;

  /// Takes a request to be written, unless one was taken less than `pause` ago.
  void offer(SlowRequest request) MR_EXCLUDES(mutex_);
  /// Waits until everything taken so far is written.
  void wait_until_written() MR_EXCLUDES(mutex_);
  /// Files written.
  [[nodiscard]] std::uint64_t written_count() const MR_EXCLUDES(mutex_);

 private:
  struct File {
    std::string path;
    std::size_t bytes = 0;
  };

  SlowCapture(SlowCaptureOptions options, base::Logger* log, const base::Clock& clock);
  [[nodiscard]] base::Status find_files();
  void run() MR_EXCLUDES(mutex_);
  /// Gives whether the file is there.
  [[nodiscard]] bool write(const SlowRequest& request);
  void make_room(std::size_t bytes);

  // Constant after construction.
  const SlowCaptureOptions options_;
  base::Logger* const log_;
  const base::Clock& clock_;

  // The thread's, once it runs. Oldest first.
  std::deque<File> files_;
  std::size_t bytes_ = 0;
  bool has_failed_ = false;  // and said so

  mutable base::Mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<base::TimePoint> last_ MR_GUARDED_BY(mutex_);
  std::optional<SlowRequest> next_ MR_GUARDED_BY(mutex_);
  bool is_writing_ MR_GUARDED_BY(mutex_) = false;
  bool is_over_ MR_GUARDED_BY(mutex_) = false;
  std::uint64_t written_ MR_GUARDED_BY(mutex_) = 0;
  std::jthread thread_;
};

}  // namespace millrace::observe
