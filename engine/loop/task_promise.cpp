#include "loop/task_promise.h"

#include <coroutine>
#include <new>

#include "base/block_pool.h"
#include "base/check.h"
#include "loop/executor.h"

namespace millrace::loop {

TaskChain& TaskChain::make(Finish finish, void* owner) {
  return *::new (base::BlockPool::allocate(sizeof(TaskChain))) TaskChain(finish, owner);
}

void TaskChain::release() noexcept {
  if (queued_) {
    released_ = true;
    return;
  }
  this->~TaskChain();
  base::BlockPool::release(this, sizeof(TaskChain));
}

void TaskChain::post(Executor& executor, std::coroutine_handle<> coroutine) {
  MR_CHECK(!queued_);
  queued_ = true;
  next_ = coroutine;
  executor.post(*this);
}

void TaskChain::run_posted(Job& job) {
  auto& chain = static_cast<TaskChain&>(job);
  chain.queued_ = false;
  if (chain.released_) {
    chain.release();
  } else {
    chain.next_.resume();
  }
}

void TaskPromise::resume_at_home() {
  if (home_->is_current()) {
    self_.resume();
  } else {
    post_home();
  }
}

bool TaskPromise::move_to(Executor& executor) {
  home_ = &executor;
  if (executor.is_current()) return false;
  post_home();
  return true;
}

void TaskPromise::begin(Executor& home, TaskChain& chain) {
  home_ = &home;
  chain_ = &chain;
  resume_at_home();
}

std::coroutine_handle<> TaskPromise::begin_child(TaskPromise& parent, ChildSlot& slot) {
  home_ = parent.home_;
  chain_ = parent.chain_;
  parent_ = &parent;
  parent.waits_for_ = &slot;
  return self_;
}

std::coroutine_handle<> TaskPromise::end() noexcept {
  if (parent_ == nullptr) {
    chain_->finish();
    return std::noop_coroutine();
  }
  TaskPromise& parent = *parent_;
  parent.waits_for_ = nullptr;
  // This coroutine runs on its own home, so comparing homes answers without a virtual call.
  if (parent.home_ == home_ || parent.home_->is_current()) return parent.self_;
  parent.post_home();
  return std::noop_coroutine();
}

void TaskPromise::destroy() noexcept {
  TaskPromise* last = this;
  while (last->waits_for_ != nullptr) last = last->waits_for_->child;
  while (last != this) {
    TaskPromise* const parent = last->parent_;
    parent->waits_for_->child = nullptr;
    last->self_.destroy();
    last = parent;
  }
  self_.destroy();
}

}  // namespace millrace::loop
