#pragma once

#include "loop/inbox.h"

namespace millrace::loop {

/// A piece of work that is queued without allocation: embed one, or derive from it.
///
/// Lifetime: the owner keeps it alive from `post` until `run` is called. The executor does not
/// touch the job after calling `run`, so `run` may destroy it or post it again.
struct Job : InboxLink {
  using Run = void (*)(Job& job);

  Job() = default;
  explicit Job(Run function) : run(function) {}

  Run run = nullptr;
};

/// A place where jobs run: an event loop, a worker pool, or a simulated one.
class Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;

  /// Queues `job`, which then runs exactly once on a thread of this executor and never inside this
  /// call. What the caller wrote before is visible to the job.
  /// Threading: any thread. The job must not be queued already.
  virtual void post(Job& job) = 0;

  /// Whether the calling thread belongs to this executor, so that a job may be called directly
  /// instead of being posted. Threading: any thread.
  [[nodiscard]] virtual bool is_current() const = 0;
};

}  // namespace millrace::loop
