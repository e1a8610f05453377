#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>

#include "base/block_pool.h"
#include "base/check.h"
#include "loop/executor.h"

namespace millrace::loop {

class TaskPromise;

/// One started task and the tasks it waits for, directly or indirectly. Each waits for the next, so
/// only the last one can continue, and one job is enough to queue it.
///
/// The job lives in a block of its own, because a task may be destroyed while it is queued: its
/// frames are freed at once, this block when the job leaves the queue.
///
/// Threading: touched by whoever runs or resumes the chain, one at a time.
class TaskChain : public Job {
 public:
  /// Called on the thread on which the first coroutine of the chain ended.
  using Finish = void (*)(void* owner);

  [[nodiscard]] static TaskChain& make(Finish finish, void* owner);
  /// Frees it: now, or if its job is queued, when the job leaves the queue.
  void release() noexcept;

  /// Queues `coroutine`, which is suspended, on `executor`. It must not be touched afterwards.
  void post(Executor& executor, std::coroutine_handle<> coroutine);
  void finish() const { finish_(owner_); }

 private:
  TaskChain(Finish finish, void* owner) : Job(&run_posted), finish_(finish), owner_(owner) {}
  static void run_posted(Job& job);

  const Finish finish_;
  void* const owner_;
  std::coroutine_handle<> next_;
  bool queued_ = false;
  bool released_ = false;
};

/// Holds the child that a coroutine waits for; lives in the frame of that coroutine.
struct ChildSlot {
  TaskPromise* child = nullptr;
};

/// What every `Task` coroutine knows about itself: where it lives and who waits for it.
///
/// Invariant: the body runs only on `home()`. It is inherited from the parent, or given to `start`,
/// and only `co_await on(executor)` changes it. Hence a child that ends on its parent's home hands
/// over by symmetric transfer; one that ends elsewhere posts the parent to its home.
///
/// Threading: touched by whoever runs or resumes the coroutine, one at a time.
class TaskPromise {
 public:
  TaskPromise(const TaskPromise&) = delete;
  TaskPromise& operator=(const TaskPromise&) = delete;

  [[nodiscard]] Executor& home() const { return *home_; }

  /// Resumes the coroutine at home: inside the call when that is here, else by posting it. For
  /// awaitables whose wait is over. The coroutine may be gone afterwards.
  void resume_at_home();
  /// Resumes the coroutine at home, never inside the call.
  void post_home() { chain_->post(*home_, self_); }
  /// Moves the coroutine, which must be suspended, to `executor`. True: it is queued there and must
  /// not be touched any more. False: the caller is there already and goes on.
  [[nodiscard]] bool move_to(Executor& executor);

  // What the compiler and `Task` need.
  static void* operator new(std::size_t size) { return base::BlockPool::allocate(size); }
  static void operator delete(void* frame, std::size_t size) {
    base::BlockPool::release(frame, size);
  }
  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }

  /// Begins the first coroutine of a chain at `home`; see `start`.
  void begin(Executor& home, TaskChain& chain);
  /// Begins a child of `parent` that `slot` holds; gives the coroutine to transfer to.
  [[nodiscard]] std::coroutine_handle<> begin_child(TaskPromise& parent, ChildSlot& slot);
  /// Hands over to whoever waits; gives the coroutine to transfer to. The result is in place.
  [[nodiscard]] std::coroutine_handle<> end() noexcept;
  /// Destroys this coroutine and those it waits for, last one first, with a stack use that does not
  /// depend on how many they are.
  void destroy() noexcept;

 protected:
  explicit TaskPromise(std::coroutine_handle<> self) : self_(self) {}
  ~TaskPromise() = default;

 private:
  const std::coroutine_handle<> self_;
  Executor* home_ = nullptr;
  TaskChain* chain_ = nullptr;
  // Who waits for this coroutine; null for the first of a chain.
  TaskPromise* parent_ = nullptr;
  // Where the child is for which this coroutine waits, while it does.
  ChildSlot* waits_for_ = nullptr;
};

/// A coroutine that an awaitable of this module can suspend.
template <class Promise>
concept TaskLike = std::derived_from<Promise, TaskPromise>;

}  // namespace millrace::loop
