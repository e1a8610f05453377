#pragma once

#include <memory>
#include <utility>

#include "base/item_shelves.h"

namespace millrace::base {

template <class Item>
class LeasePool;

/// Exclusive use of an item of a pool until destruction.
/// Threading: not shared. Lifetime: borrows the pool.
template <class Item>
class Lease {
 public:
  Lease(Lease&& other) noexcept
      : pool_(other.pool_), item_(std::move(other.item_)), shelf_(other.shelf_) {}
  Lease& operator=(Lease&&) = delete;
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  /// Resets the item and gives it back.
  ~Lease() {
    if (item_ != nullptr) pool_->give_back(std::move(item_), shelf_);
  }

  [[nodiscard]] Item& operator*() const { return *item_; }
  [[nodiscard]] Item* operator->() const { return item_.get(); }
  [[nodiscard]] Item* get() const { return item_.get(); }

 private:
  friend class LeasePool<Item>;
  using ShelfIndex = ItemShelves<Item>::ShelfIndex;
  Lease(LeasePool<Item>& pool, std::unique_ptr<Item> item, ShelfIndex shelf)
      : pool_(&pool), item_(std::move(item)), shelf_(shelf) {}

  LeasePool<Item>* pool_;
  std::unique_ptr<Item> item_;
  ShelfIndex shelf_;
};

/// Lends items that are costly to make. It holds as many as each thread ever lent at the same time,
/// and lends the one that the thread used last, whose memory is still in its cache. `Item::reset`
/// makes an item ready for the next user.
/// Threading: any thread. Lifetime: outlives its leases.
template <class Item>
class LeasePool {
 public:
  LeasePool() = default;
  LeasePool(const LeasePool&) = delete;
  LeasePool& operator=(const LeasePool&) = delete;

  [[nodiscard]] Lease<Item> acquire() {
    const auto shelf = ItemShelves<Item>::own_shelf();
    std::unique_ptr<Item> item = shelves_.try_take(shelf);
    if (item == nullptr) {
      shelves_.expect_item(shelf);
      item = std::make_unique<Item>();
    }
    return {*this, std::move(item), shelf};
  }

 private:
  friend class Lease<Item>;
  void give_back(std::unique_ptr<Item> item, ItemShelves<Item>::ShelfIndex shelf) {
    item->reset();
    shelves_.put_back(std::move(item), shelf);
  }

  ItemShelves<Item> shelves_;
};

}  // namespace millrace::base
