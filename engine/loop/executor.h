#pragma once

#include "loop/inbox.h"

namespace millrace::loop {

/// A piece of work that is queued without allocation: embed one, or derive from it.
///
/// Lifetime: the owner keeps it alive from `post` until `run` is called. `run` is the last thing an
/// executor does with a job, so `run` may destroy it or post it again.
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

  /// Is true on a thread that belongs to this executor, where its jobs may as well run directly.
  /// Threading: any thread.
  [[nodiscard]] virtual bool is_current() const = 0;
};

}  // namespace millrace::loop
