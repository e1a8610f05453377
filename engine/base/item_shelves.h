#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/sync/atomics.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "base/thread_number.h"

namespace millrace::base {

/// Keeps items that are costly to make until somebody needs one again, on a shelf for each thread.
///
/// A thread takes from its own shelf only, and an item goes back to the shelf it was made for,
/// whichever thread brings it. So the memory of an item stays in the cache of the processor whose
/// thread uses it, and threads that work side by side do not wait for each other. The price: a
/// thread makes an item although another thread's shelf has one to spare. The item that came back
/// last leaves first.
///
/// Threading: any thread. Threads beyond `kShelfCount` share shelves.
/// Lifetime: destroyed after every item has come back, which `count` tells.
template <class Item>
class ItemShelves {
 public:
  static constexpr std::size_t kShelfCount = 32;
  /// Names a shelf.
  using ShelfIndex = std::uint32_t;

  ItemShelves() = default;
  ItemShelves(const ItemShelves&) = delete;
  ItemShelves& operator=(const ItemShelves&) = delete;
  ~ItemShelves() {
    for (Shelf& shelf : shelves_) delete shelf.last.load(std::memory_order_acquire);
  }

  /// The shelf of the calling thread.
  [[nodiscard]] static ShelfIndex own_shelf() {
    return static_cast<ShelfIndex>(thread_number() % kShelfCount);
  }

  /// Null: the shelf is empty. Everything that was done to the item before it came back is visible.
  [[nodiscard]] std::unique_ptr<Item> try_take(ShelfIndex index) {
    Shelf& shelf = shelves_[index];
    if (Item* const last = shelf.last.exchange(nullptr, std::memory_order_acquire))
      return std::unique_ptr<Item>(last);
    if (!shelf.has_more.load(std::memory_order_relaxed)) return nullptr;
    const MutexLock lock(shelf.mutex);
    if (shelf.more.empty()) return nullptr;
    std::unique_ptr<Item> item = std::move(shelf.more.back());
    shelf.more.pop_back();
    shelf.has_more.store(!shelf.more.empty(), std::memory_order_relaxed);
    return item;
  }

  /// Makes room for one more item on a shelf. Call it once for each item that is made.
  void expect_item(ShelfIndex index) {
    Shelf& shelf = shelves_[index];
    const MutexLock lock(shelf.mutex);
    shelf.more.reserve(++shelf.item_count);
  }

  /// Allocates nothing. Once `count` includes the item, this does not touch the shelves any more.
  void put_back(std::unique_ptr<Item> item, ShelfIndex index) {
    Shelf& shelf = shelves_[index];
    item.reset(shelf.last.exchange(item.release(), std::memory_order_acq_rel));
    if (item == nullptr) return;
    const MutexLock lock(shelf.mutex);
    shelf.more.push_back(std::move(item));
    shelf.has_more.store(true, std::memory_order_relaxed);
  }

  /// The items on all shelves. While items only come back, never more than there are.
  [[nodiscard]] std::size_t count() {
    std::size_t count = 0;
    for (Shelf& shelf : shelves_) {
      const MutexLock lock(shelf.mutex);
      count += shelf.more.size();
      count += shelf.last.load(std::memory_order_acquire) != nullptr ? 1 : 0;
    }
    return count;
  }

 private:
  struct alignas(kApartBytes) Shelf {
    // The item that came back last: a thread that takes one item at a time needs no lock.
    // Publishes what was done to the item.
    std::atomic<Item*> last{nullptr};
    // A hint that spares the lock of a shelf that is empty. A thread that misses an item makes one.
    std::atomic<bool> has_more{false};
    Mutex mutex;
    std::vector<std::unique_ptr<Item>> more MR_GUARDED_BY(mutex);
    std::size_t item_count MR_GUARDED_BY(mutex) = 0;  // of the items made for it
  };

  std::array<Shelf, kShelfCount> shelves_;
};

}  // namespace millrace::base
