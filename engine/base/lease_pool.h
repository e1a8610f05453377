#pragma once

#include <memory>
#include <utility>

#include "base/spare_stacks.h"

namespace millrace::base {

template <class Item>
class LeasePool;

/// Exclusive use of an item of a pool until destruction.
/// Threading: not shared. Lifetime: borrows the pool.
template <class Item>
class Lease {
 public:
  Lease(Lease&& other) noexcept
      : pool_(other.pool_), entry_(std::exchange(other.entry_, nullptr)) {}
  Lease& operator=(Lease&&) = delete;
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  /// Resets the item and gives it back.
  ~Lease() {
    if (entry_ != nullptr) pool_->give_back(*entry_);
  }

  [[nodiscard]] Item& operator*() const { return entry_->item; }
  [[nodiscard]] Item* operator->() const { return &entry_->item; }
  [[nodiscard]] Item* get() const { return &entry_->item; }

 private:
  friend class LeasePool<Item>;
  using Entry = LeasePool<Item>::Entry;
  Lease(LeasePool<Item>& pool, Entry& entry) : pool_(&pool), entry_(&entry) {}

  LeasePool<Item>* pool_;
  Entry* entry_;
};

/// Lends items that are costly to make. It holds as many as were ever lent at the same time, and
/// lends a thread the one that it returned last, whose memory is still in its cache. `Item::reset`
/// makes an item ready for the next user.
/// Threading: any thread. Lifetime: outlives its leases.
template <class Item>
class LeasePool {
 public:
  LeasePool() = default;
  LeasePool(const LeasePool&) = delete;
  LeasePool& operator=(const LeasePool&) = delete;
  ~LeasePool() {
    while (const Entry* const entry = spares_.try_take()) delete entry;
  }

  [[nodiscard]] Lease<Item> acquire() {
    if (Entry* const entry = spares_.try_take()) return {*this, *entry};
    return {*this, *std::make_unique<Entry>().release()};
  }

 private:
  friend class Lease<Item>;
  struct Entry {
    Item item;
    Entry* next = nullptr;
  };
  void give_back(Entry& entry) {
    entry.item.reset();
    spares_.give(entry);
  }

  SpareStacks<Entry, &Entry::next> spares_;
};

}  // namespace millrace::base
