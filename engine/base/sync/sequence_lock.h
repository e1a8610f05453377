#pragma once

#include <cstdint>

#include "base/sync/atomics.h"

// Lets one thread change several numbers together and others read them as they stood at one moment.
//
// The writer makes a sequence number odd, changes the numbers, and makes it even again: four plain
// stores on x86, no locked instruction, and it never waits. A reader that finds the number odd, or
// another one after its reading than before, reads again.
//
// Why a reader that is content has seen one moment:
//  1. A number is stored with release after the odd sequence number, and loaded with acquire. So
//     whoever loads a number of a change under way then finds the sequence number of that change or
//     a later one, and reads again.
//  2. The even sequence number is stored with release after the numbers, and loaded with acquire
//     before them. So whoever begins with it finds all numbers of that change, or later ones, which
//     1. takes care of.

namespace millrace::base {

/// A number that is written inside a `SequenceLock` and read inside its `read`.
/// Threading: one thread writes, any thread reads.
template <class Atomics = StdAtomics>
class SequencedNumber {
 public:
  void add(std::int64_t amount) { set(value_.load(std::memory_order_relaxed) + amount); }
  void set(std::int64_t value) { value_.store(value, std::memory_order_release); }
  [[nodiscard]] std::int64_t value() const { return value_.load(std::memory_order_acquire); }

 private:
  // Publishes to readers that a change is under way, see above.
  typename Atomics::template Atomic<std::int64_t> value_{0};
};

/// Threading: one thread writes, any thread reads.
template <class Atomics = StdAtomics>
class SequenceLock {
 public:
  /// A change; everything that belongs together is written while it lives.
  class Change {
   public:
    explicit Change(SequenceLock& lock) : lock_(lock) {
      lock_.sequence_.store(lock_.sequence_.load(std::memory_order_relaxed) + 1,
                            std::memory_order_relaxed);
    }
    ~Change() {
      lock_.sequence_.store(lock_.sequence_.load(std::memory_order_relaxed) + 1,
                            std::memory_order_release);
    }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

   private:
    SequenceLock& lock_;
  };

  /// Calls `read` until no change came in between. Only what the last call has read counts.
  template <class Read>
  void read(Read read) const {
    for (std::uint32_t tries = 1;; ++tries) {
      const std::uint64_t before = sequence_.load(std::memory_order_acquire);
      if (before % 2 == 0) {
        read();
        if (sequence_.load(std::memory_order_relaxed) == before) return;
      }
      // The writer may have lost its processor in the middle of a change.
      tries % kTriesBeforeYield == 0 ? Atomics::yield() : Atomics::pause();
    }
  }

 private:
  static constexpr std::uint32_t kTriesBeforeYield = 16;
  // Odd while a change is under way. Publishes the numbers of the change that made it even.
  typename Atomics::template Atomic<std::uint64_t> sequence_{0};
};

}  // namespace millrace::base
