#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/check.h"
#include "base/sync/atomics.h"

namespace millrace::runtime {

/// What a StealDeque holds: two words that mean something to the scheduler only.
struct DequeItem {
  void* run = nullptr;
  std::uint64_t payload = 0;

  friend bool operator==(const DequeItem&, const DequeItem&) = default;
};

enum class StealResult : std::uint8_t {
  kEmpty,  ///< Nothing to take.
  kLost,   ///< Another thread took the item first; trying again may succeed.
  kTaken,
};

/// Work-stealing deque of Chase and Lev (SPAA 2005) with the memory orders of Lê, Pop, Cohen and
/// Zappa Nardelli (PPoPP 2013). The owner pushes and pops at the bottom, newest first; thieves take
/// the oldest item at the top.
///
/// Layout: a circular buffer of 2^k slots, valid for indices [top, bottom). Indices only count up
/// and are 64 bits wide, so they do not wrap.
///
/// Memory order. The one hard case is a single item that owner and thief both want. The owner
/// publishes bottom-1 and then reads top; the thief reads top and then bottom. With a full fence
/// between the two steps on both sides, either the owner sees that top has moved on, or the thief
/// sees that bottom has come down; when both see the item they decide by a compare-exchange on top.
/// Every store of bottom is a release: it publishes the slots below it, and what the pusher wrote
/// before, to the thief that acquires it. A thief's increment of top releases the slot that it has
/// read; the owner acquires top before it fills that slot again. A thief that has read a slot too
/// late reads garbage, loses the compare-exchange and discards it; hence slots are relaxed atomics.
///
/// Growth: a full buffer is replaced by one of twice the size. Thieves may still read the old one,
/// so all are kept until destruction: together they are smaller than the newest. The size follows
/// the largest number of items ever held at once and stops the process beyond `kCapacityMax`, so
/// whoever pushes must bound that number. A push that does not grow allocates nothing; one that
/// cannot allocate throws std::bad_alloc and leaves the deque as it was.
///
/// Threading: *owner* is whoever owns the deque exclusively, usually its worker. Another thread may
/// act as owner while a lock or a Handshake excludes the worker and orders the two after each
/// other. steal, looks_empty and size_hint are for any thread.
template <class Atomics = base::StdAtomics>
class StealDeque {
 public:
  static constexpr std::size_t kInitialCapacity = 256;
  static constexpr std::size_t kCapacityMax = std::size_t{1} << 30;

  /// Makes an empty deque; the capacity is rounded up to a power of two.
  explicit StealDeque(std::size_t initial_capacity = kInitialCapacity) {
    MR_CHECK(initial_capacity <= kCapacityMax, initial_capacity);
    install(std::make_unique<Buffer>(std::bit_ceil(initial_capacity)));
  }
  StealDeque(const StealDeque&) = delete;
  StealDeque& operator=(const StealDeque&) = delete;

  /// Owner: adds an item as the newest.
  void push(DequeItem item) {
    const Index bottom = bottom_.load(std::memory_order_relaxed);
    if (bottom - top_seen_ > mask_) [[unlikely]]
      make_room(bottom);
    write(slots_[bottom & mask_], item);
    bottom_.store(bottom + 1, std::memory_order_release);
  }

  /// Owner: takes the newest item. False when there is none.
  [[nodiscard]] bool try_pop(DequeItem& item) {
    const Index bottom = bottom_.load(std::memory_order_relaxed) - 1;
    // Top never goes back, so an old value can show an item that is gone but hide none.
    if (top_.load(std::memory_order_relaxed) > bottom) return false;
    Index top = 0;
    if constexpr (Atomics::kFollowsFences) {
      bottom_.store(bottom, std::memory_order_release);
      Atomics::fence_seq_cst();
      top = top_.load(std::memory_order_relaxed);
    } else {
      bottom_.store(bottom, std::memory_order_seq_cst);
      top = top_.load(std::memory_order_seq_cst);
    }
    if (top < bottom) {
      item = read(slots_[bottom & mask_]);
      return true;
    }
    const bool won = top == bottom && try_advance_top(top);
    if (won) item = read(slots_[bottom & mask_]);
    bottom_.store(bottom + 1, std::memory_order_release);
    return won;
  }

  /// Owner: takes the oldest item, in competition with thieves. False when there is none. Needs no
  /// fence: nobody but the owner moves bottom.
  [[nodiscard]] bool try_take_oldest(DequeItem& item) {
    const Index bottom = bottom_.load(std::memory_order_relaxed);
    Index top = top_.load(std::memory_order_relaxed);
    while (top < bottom) {
      const DequeItem oldest = read(slots_[top & mask_]);
      if (try_advance_top(top)) {
        item = oldest;
        return true;
      }
      top = top_.load(std::memory_order_relaxed);
    }
    return false;
  }

  /// Any thread: takes the oldest item.
  [[nodiscard]] StealResult steal(DequeItem& item) { return steal_if(nullptr, item); }
  /// The same if it is a part of `run`. False: it is not, there is none, or another thread was
  /// faster.
  [[nodiscard]] bool steal_of(const void* run, DequeItem& item) {
    return peek_oldest() == run && steal_if(run, item) == StealResult::kTaken;
  }

  /// Any thread: a hint that may be old when it arrives. After a full fence that pairs with one
  /// behind the push (see ParkingSpot), an item nobody took does not look empty, unless a later
  /// push is under way, whose pusher will then look for sleepers in its turn.
  [[nodiscard]] bool looks_empty() const { return size_hint() == 0; }

  /// Any thread: the number of items, as a hint.
  [[nodiscard]] std::size_t size_hint() const {
    const Index bottom = bottom_.load(std::memory_order_relaxed);
    const Index top = top_.load(std::memory_order_relaxed);
    return bottom > top ? static_cast<std::size_t>(bottom - top) : 0;
  }

  /// Any thread: says that it is about to steal, so that what it will read comes meanwhile.
  void prefetch_oldest() const {
    const Buffer& buffer = *buffer_.load(std::memory_order_acquire);
    __builtin_prefetch(&buffer.slots[top_.load(std::memory_order_relaxed) & buffer.mask]);
  }

  /// Any thread: whose the oldest item is, as a hint; null if there is none.
  [[nodiscard]] const void* peek_oldest() const {
    const Index top = top_.load(std::memory_order_acquire);
    if (top >= bottom_.load(std::memory_order_acquire)) return nullptr;
    const Buffer& buffer = *buffer_.load(std::memory_order_acquire);
    return buffer.slots[top & buffer.mask].run.load(std::memory_order_relaxed);
  }

  /// Owner: the number of items that fit before the next growth.
  [[nodiscard]] std::size_t capacity() const { return static_cast<std::size_t>(mask_) + 1; }

 private:
  using Index = std::int64_t;
  template <class T>
  using Atomic = typename Atomics::template Atomic<T>;

  struct Slot {
    Atomic<void*> run{nullptr};
    Atomic<std::uint64_t> payload{0};
  };

  struct Buffer {
    explicit Buffer(std::size_t capacity)
        : mask(static_cast<Index>(capacity) - 1), slots(std::make_unique<Slot[]>(capacity)) {}

    const Index mask;
    const std::unique_ptr<Slot[]> slots;
  };

  static void write(Slot& slot, DequeItem item) {
    slot.run.store(item.run, std::memory_order_relaxed);
    slot.payload.store(item.payload, std::memory_order_relaxed);
  }

  [[nodiscard]] static DequeItem read(const Slot& slot) {
    return {.run = slot.run.load(std::memory_order_relaxed),
            .payload = slot.payload.load(std::memory_order_relaxed)};
  }

  [[nodiscard]] bool try_advance_top(Index top) {
    return top_.compare_exchange_strong(
        top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed);
  }

  // Takes the oldest item; unless `run` is null, only one of that run.
  [[nodiscard]] StealResult steal_if(const void* run, DequeItem& item) {
    Index top = 0;
    Index bottom = 0;
    if constexpr (Atomics::kFollowsFences) {
      top = top_.load(std::memory_order_acquire);
      Atomics::fence_seq_cst();
      bottom = bottom_.load(std::memory_order_acquire);
    } else {
      top = top_.load(std::memory_order_seq_cst);
      bottom = bottom_.load(std::memory_order_seq_cst);
    }
    if (top >= bottom) return StealResult::kEmpty;
    const Buffer& buffer = *buffer_.load(std::memory_order_acquire);
    const DequeItem oldest = read(buffer.slots[top & buffer.mask]);
    if (run != nullptr && oldest.run != run) return StealResult::kLost;
    if (!try_advance_top(top)) return StealResult::kLost;
    item = oldest;
    return StealResult::kTaken;
  }

  [[gnu::noinline, gnu::cold]] void make_room(Index bottom) {
    top_seen_ = top_.load(std::memory_order_acquire);
    if (bottom - top_seen_ <= mask_) return;
    const std::size_t larger = capacity() * 2;
    MR_CHECK(larger <= kCapacityMax, larger);
    auto buffer = std::make_unique<Buffer>(larger);
    for (Index index = top_seen_; index < bottom; ++index) {
      write(buffer->slots[index & buffer->mask], read(slots_[index & mask_]));
    }
    install(std::move(buffer));
  }

  void install(std::unique_ptr<Buffer> buffer) {
    slots_ = buffer->slots.get();
    mask_ = buffer->mask;
    buffer_.store(buffer.get(), std::memory_order_release);
    buffers_[buffer_count_++] = std::move(buffer);
  }

  // Index of the oldest item. Written by thieves, and by the owner for the last item: releases the
  // slot below it to the owner.
  alignas(base::kApartBytes) Atomic<Index> top_{0};
  // Publishes the slots of a new buffer to thieves. Written by the owner, seldom.
  Atomic<const Buffer*> buffer_{nullptr};

  // One past the newest item. Written by the owner: publishes slots to thieves.
  alignas(base::kApartBytes) Atomic<Index> bottom_{0};
  // Owner only: top as last acquired, and the current buffer.
  Index top_seen_ = 0;
  Index mask_ = 0;
  Slot* slots_ = nullptr;

  // Owner only: every buffer there ever was, the newest last.
  static constexpr std::size_t kBufferCountMax = std::countr_zero(kCapacityMax) + 1;
  alignas(base::kApartBytes) std::array<std::unique_ptr<Buffer>, kBufferCountMax> buffers_;
  std::size_t buffer_count_ = 0;
};

}  // namespace millrace::runtime
