#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/sync/atomics.h"
#include "base/sync/spin_mutex.h"
#include "base/thread_number.h"

namespace millrace::base {

/// Items that wait for their next use. What a thread has given it takes first, the last one before
/// the others: that is still in its cache, and other threads do not touch the same lines. A thread
/// that has given none takes one of another thread.
///
/// Taking one acquires everything that its last user wrote. `give` does not allocate: items are
/// linked by their member `kNext`, which is of no use to anybody else meanwhile.
///
/// Threading: any thread. Lifetime: the items belong to whoever made them.
template <class Item, Item* Item::* kNext>
class SpareStacks {
 public:
  SpareStacks() = default;
  SpareStacks(const SpareStacks&) = delete;
  SpareStacks& operator=(const SpareStacks&) = delete;

  /// Null: there was none.
  [[nodiscard]] Item* try_take() {
    const std::uint32_t own = ThreadNumber::get();
    for (std::uint32_t step = 0; step < ThreadNumber::kCountMax; ++step) {
      if (Item* const item = stacks_[(own + step) % ThreadNumber::kCountMax].try_pop()) return item;
    }
    return nullptr;
  }
  /// Whoever sees the item in `count` finds that the giver does not touch the stacks any more.
  void give(Item& item) { stacks_[ThreadNumber::get()].push(item); }
  [[nodiscard]] std::size_t count() {
    std::size_t sum = 0;
    for (Stack& stack : stacks_) sum += stack.count();
    return sum;
  }

 private:
  class alignas(kApartBytes) Stack {
   public:
    void push(Item& item) {
      const SpinLock lock(mutex_);
      item.*kNext = top_.load(std::memory_order_relaxed);
      top_.store(&item, std::memory_order_relaxed);
    }
    Item* try_pop() {
      if (top_.load(std::memory_order_relaxed) == nullptr) return nullptr;
      const SpinLock lock(mutex_);
      Item* const item = top_.load(std::memory_order_relaxed);
      if (item != nullptr) top_.store(item->*kNext, std::memory_order_relaxed);
      return item;
    }
    std::size_t count() {
      const SpinLock lock(mutex_);
      std::size_t sum = 0;
      for (const Item* item = top_.load(std::memory_order_relaxed); item != nullptr;
           item = item->*kNext)
        ++sum;
      return sum;
    }

   private:
    SpinMutex mutex_;
    // Written under the mutex; read without it as a hint.
    std::atomic<Item*> top_{nullptr};
  };

  std::array<Stack, ThreadNumber::kCountMax> stacks_;
};

}  // namespace millrace::base
