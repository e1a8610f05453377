#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "rank/plan_set.h"
#include "server/readiness.h"

namespace millrace::server {

/// One thing that must work before the server is ready. Gives nothing, or what is wrong. May block.
struct StartTrial {
  std::string name;
  bool is_plan = false;  ///< else an endpoint
  std::function<std::optional<std::string>()> attempt;
};

/// The endpoints that plans use, by index.
[[nodiscard]] std::set<std::uint32_t> endpoints_used(const rank::PlanSet& plans);

/// Tries everything that must work before a server is ready, again and again, each until it has
/// worked once: endpoints first, because plans need them. Then goes on to ask the endpoints from
/// time to time, so that `/readyz?verbose` shows later outages. Tells `Readiness`. Threading: has a
/// thread of its own, which makes the attempts; made and destroyed by one thread. Lifetime: borrows
/// the readiness.
class StartCheck {
 public:
  struct Pauses {
    base::Duration retry = std::chrono::seconds(1);   ///< until all have worked once
    base::Duration watch = std::chrono::seconds(10);  ///< between looks at the endpoints afterwards
  };
  StartCheck(Readiness& readiness, std::vector<StartTrial> trials, Pauses pauses);
  /// Ends after the attempt that is under way.
  ~StartCheck();
  StartCheck(const StartCheck&) = delete;
  StartCheck& operator=(const StartCheck&) = delete;

 private:
  void run() MR_EXCLUDES(mutex_);
  /// False: the check is to end.
  [[nodiscard]] bool wait(base::Duration pause) MR_EXCLUDES(mutex_);
  void watch() MR_EXCLUDES(mutex_);

  Readiness& readiness_;
  std::vector<StartTrial> open_;       // those that have not worked yet; the thread's
  std::vector<StartTrial> endpoints_;  // those that have worked; the thread's
  const Pauses pauses_;

  base::Mutex mutex_;
  std::condition_variable_any changed_;
  bool is_ending_ MR_GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

}  // namespace millrace::server
