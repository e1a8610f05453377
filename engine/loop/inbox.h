#pragma once

#include <atomic>

#include "base/sync/atomics.h"

namespace millrace::loop {

/// Base of everything that can lie in an Inbox. An element is in at most one inbox at a time.
struct InboxLink {
  InboxLink* next = nullptr;
};

/// Intrusive queue of many producers. Elements are pushed one by one and taken all at once, in the
/// order in which their pushes took effect. Nothing allocates.
///
/// It is a stack that is only popped as a whole, so the ABA problem does not arise: a push that
/// finds the same head as before may link to it, whatever happened in between.
///
/// Threading: any thread.
/// Lifetime: borrows the elements from push until take_all returns them.
template <class Atomics = base::StdAtomics>
class Inbox {
 public:
  Inbox() = default;
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  /// Adds `link`. True when the inbox was empty before: then, and only then, the consumer may not
  /// know yet that there is something to take. Retries only when another thread made progress.
  bool push(InboxLink& link) noexcept {
    InboxLink* head = head_.load(std::memory_order_relaxed);
    do {
      link.next = head;
    } while (!head_.compare_exchange_weak(
        head, &link, std::memory_order_release, std::memory_order_relaxed));
    return head == nullptr;
  }

  /// Empties the inbox and gives what was in it, oldest first, linked by `next` and ended by null.
  [[nodiscard]] InboxLink* take_all() noexcept {
    InboxLink* newest = head_.exchange(nullptr, std::memory_order_acquire);
    InboxLink* oldest_first = nullptr;
    while (newest != nullptr) {
      InboxLink* const older = newest->next;
      newest->next = oldest_first;
      oldest_first = newest;
      newest = older;
    }
    return oldest_first;
  }

  /// A hint: another thread may push or take at any time. A push is not missed if a full fence
  /// stands after it and another one before this call (see ParkingSpot).
  [[nodiscard]] bool looks_empty() const noexcept {
    return head_.load(std::memory_order_relaxed) == nullptr;
  }

 private:
  // Publishes every element, and what its producer wrote before the push, to the taker.
  alignas(base::kApartBytes) typename Atomics::template Atomic<InboxLink*> head_{nullptr};
};

}  // namespace millrace::loop
