#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"

namespace millrace::base {

template <class Item>
class LeasePool;

/// Exclusive use of an item of a pool until destruction.
/// Threading: not shared. Lifetime: borrows the pool.
template <class Item>
class Lease {
 public:
  Lease(Lease&& other) noexcept : pool_(other.pool_), item_(std::move(other.item_)) {}
  Lease& operator=(Lease&&) = delete;
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  /// Resets the item and gives it back.
  ~Lease() {
    if (item_ != nullptr) pool_->give_back(std::move(item_));
  }

  [[nodiscard]] Item& operator*() const { return *item_; }
  [[nodiscard]] Item* operator->() const { return item_.get(); }
  [[nodiscard]] Item* get() const { return item_.get(); }

 private:
  friend class LeasePool<Item>;
  Lease(LeasePool<Item>& pool, std::unique_ptr<Item> item) : pool_(&pool), item_(std::move(item)) {}

  LeasePool<Item>* pool_;
  std::unique_ptr<Item> item_;
};

/// Lends items that are costly to make. It holds as many as were ever lent at the same time, and
/// lends the one that was returned last, whose memory is still in the cache. `Item::reset` makes an
/// item ready for the next user.
/// Threading: any thread. Lifetime: outlives its leases.
template <class Item>
class LeasePool {
 public:
  LeasePool() = default;
  LeasePool(const LeasePool&) = delete;
  LeasePool& operator=(const LeasePool&) = delete;
  ~LeasePool() { delete last_.load(std::memory_order_acquire); }

  [[nodiscard]] Lease<Item> acquire() MR_EXCLUDES(mutex_) {
    if (Item* const last = last_.exchange(nullptr, std::memory_order_acquire))
      return {*this, std::unique_ptr<Item>(last)};
    {
      const MutexLock lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Item> item = std::move(idle_.back());
        idle_.pop_back();
        return {*this, std::move(item)};
      }
    }
    return {*this, std::make_unique<Item>()};
  }

 private:
  friend class Lease<Item>;
  void give_back(std::unique_ptr<Item> item) MR_EXCLUDES(mutex_) {
    item->reset();
    item.reset(last_.exchange(item.release(), std::memory_order_acq_rel));
    if (item == nullptr) return;
    const MutexLock lock(mutex_);
    idle_.push_back(std::move(item));
  }

  // The item that was returned last, kept here so that a user that follows another takes no lock.
  // Taking it acquires everything that its last user wrote.
  std::atomic<Item*> last_{nullptr};
  Mutex mutex_;
  std::vector<std::unique_ptr<Item>> idle_ MR_GUARDED_BY(mutex_);
};

}  // namespace millrace::base
