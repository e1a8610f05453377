#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "server/readiness.h"

namespace millrace::server {

/// One thing that must work before the server is ready. Gives nothing, or what is wrong. May block.
struct StartTrial {
  std::string name;
  bool is_plan = false;  ///< else an endpoint
  std::function<std::optional<std::string>()> attempt;
};

/// Tries everything that must work before a server is ready, again and again, each until it has
/// worked once: endpoints first, because plans need them. Tells `Readiness`.
/// Threading: has a thread of its own, which makes the attempts; made and destroyed by one thread.
/// Lifetime: borrows the readiness.
class StartCheck {
 public:
  StartCheck(Readiness& readiness, std::vector<StartTrial> trials, base::Duration pause);
  /// Ends after the attempt that is under way.
  ~StartCheck();
  StartCheck(const StartCheck&) = delete;
  StartCheck& operator=(const StartCheck&) = delete;

 private:
  void run() MR_EXCLUDES(mutex_);
  /// False: the check is to end.
  [[nodiscard]] bool wait() MR_EXCLUDES(mutex_);

  Readiness& readiness_;
  std::vector<StartTrial> open_;  // those that have not worked yet; the thread's
  const base::Duration pause_;

  base::Mutex mutex_;
  std::condition_variable_any changed_;
  bool is_ending_ MR_GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

}  // namespace millrace::server
