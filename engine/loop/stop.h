#pragma once

#include <atomic>

#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"

namespace millrace::loop {

class StopCallback;
class StopToken;

/// Asks everything that holds one of its tokens to stop, once.
///
/// Callbacks run on the thread that requests, one after the other in the order of registration,
/// under the source's mutex. So after `StopCallback::disconnect`, on any thread, the callback has
/// run or never will. In return a callback may only set flags, disarm timers and post jobs; it must
/// not connect, disconnect or destroy a callback of the same source.
///
/// Threading: any thread.
/// Lifetime: outlives its tokens, its connected callbacks and every call of `request_stop`.
class StopSource {
 public:
  StopSource() = default;
  ~StopSource();
  StopSource(const StopSource&) = delete;
  StopSource& operator=(const StopSource&) = delete;

  /// Sets the flag and runs the callbacks. The first call does that and returns true; later calls
  /// return false at once, possibly before the callbacks have run.
  bool request_stop() MR_EXCLUDES(mutex_);

  /// One relaxed load. It does not make visible what the requester wrote before.
  [[nodiscard]] bool stop_requested() const { return requested_.load(std::memory_order_relaxed); }

  [[nodiscard]] StopToken token();

  /// Forgets the request, so that the source can be used again. Nobody may use it at the same time,
  /// and no callback may be connected.
  void reset() MR_EXCLUDES(mutex_);

 private:
  friend class StopCallback;

  [[nodiscard]] bool try_link(StopCallback& callback) MR_EXCLUDES(mutex_);
  /// Does nothing when it is not linked, because it has run.
  void unlink(StopCallback& callback) MR_REQUIRES(mutex_);

  // Tells every holder of a token to give up. Publishes nothing else: what the requester wrote
  // before becomes visible through the mutex of the callbacks or the jobs they post.
  std::atomic<bool> requested_{false};
  base::Mutex mutex_;
  // Connected callbacks in order of registration, doubly linked.
  StopCallback* first_ MR_GUARDED_BY(mutex_) = nullptr;
  StopCallback* last_ MR_GUARDED_BY(mutex_) = nullptr;
};

/// Lets its holder ask whether a stop was requested. The answer of an empty token is always no.
/// Threading: any thread.
/// Lifetime: borrows the source and must not outlive it.
class StopToken {
 public:
  StopToken() = default;

  [[nodiscard]] bool stop_requested() const {
    return source_ != nullptr && source_->stop_requested();
  }

 private:
  friend class StopCallback;
  friend class StopSource;
  explicit StopToken(StopSource& source) : source_(&source) {}

  StopSource* source_ = nullptr;
};

inline StopToken StopSource::token() { return StopToken(*this); }

/// A function to call when a stop is requested: embed one, or derive from it. Does not allocate.
/// Threading: connect, disconnect and destroy it from one thread at a time; `run` is called as
/// `StopSource` says.
class StopCallback {
 public:
  using Run = void (*)(StopCallback& callback);

  explicit StopCallback(Run run) : run_(run) {}
  ~StopCallback() { disconnect(); }
  StopCallback(const StopCallback&) = delete;
  StopCallback& operator=(const StopCallback&) = delete;

  /// Waits for a request on `token`. False when one was made already: then `run` is not called and
  /// nothing is connected. True with the empty token, whose request never comes.
  [[nodiscard]] bool try_connect(StopToken token);

  /// After this `run` is not running and will not be called. Does nothing when not connected.
  void disconnect();

 private:
  friend class StopSource;

  const Run run_;
  StopSource* source_ = nullptr;
  // Guarded by the mutex of `source_`.
  StopCallback* previous_ = nullptr;
  StopCallback* next_ = nullptr;
  bool linked_ = false;
};

}  // namespace millrace::loop
