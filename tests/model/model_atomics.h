#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "base/clock.h"
#include "execution.h"
#include "memory.h"

namespace millrace::model {

/// Replaces std::atomic in code under exploration: the same operations, with explicit orders.
template <class T>
class ModelAtomic {
  // Copies values from and to words, as bytes; pointers too.
  struct Value {
    T value;
  };
  static_assert(std::is_trivially_copyable_v<T> && sizeof(Value) <= sizeof(std::uint64_t));

 public:
  ModelAtomic() : ModelAtomic(T{}) {}
  explicit(false) ModelAtomic(T value) { Execution::current().create(location_, to_word(value)); }
  ModelAtomic(const ModelAtomic&) = delete;
  ModelAtomic& operator=(const ModelAtomic&) = delete;

  [[nodiscard]] T load(std::memory_order order) const {
    return from_word(Execution::current().load(location_, order));
  }
  void store(T value, std::memory_order order) {
    Execution::current().store(location_, to_word(value), order);
  }
  T exchange(T value, std::memory_order order) {
    return from_word(Execution::current().exchange(location_, to_word(value), order));
  }
  bool compare_exchange_strong(T& expected,
                               T desired,
                               std::memory_order success,
                               std::memory_order failure) {
    return compare_exchange(expected, {0, to_word(desired), success, failure, false});
  }
  bool compare_exchange_weak(T& expected,
                             T desired,
                             std::memory_order success,
                             std::memory_order failure) {
    return compare_exchange(expected, {0, to_word(desired), success, failure, true});
  }

  /// Updates in a loop, as some machines do; the orders are those of the exchange that succeeds.
  T fetch_add(T value, std::memory_order order) {
    T found = load(std::memory_order_relaxed);
    while (!compare_exchange_strong(
        found, static_cast<T>(found + value), order, std::memory_order_relaxed)) {
    }
    return found;
  }
  T fetch_sub(T value, std::memory_order order) {
    T found = load(std::memory_order_relaxed);
    while (!compare_exchange_strong(
        found, static_cast<T>(found - value), order, std::memory_order_relaxed)) {
    }
    return found;
  }

  T fetch_or(T value, std::memory_order order) {
    T found = load(std::memory_order_relaxed);
    while (!compare_exchange_strong(
        found, static_cast<T>(found | value), order, std::memory_order_relaxed)) {
    }
    return found;
  }
  T fetch_and(T value, std::memory_order order) {
    T found = load(std::memory_order_relaxed);
    while (!compare_exchange_strong(
        found, static_cast<T>(found & value), order, std::memory_order_relaxed)) {
    }
    return found;
  }

  /// For ModelFutex.
  [[nodiscard]] const Location& location() const { return location_; }

 private:
  static std::uint64_t to_word(T value) {
    const Value source{value};
    std::uint64_t word = 0;
    std::memcpy(&word, &source, sizeof(Value));
    return word;
  }
  static T from_word(std::uint64_t word) {
    Value target;
    std::memcpy(&target, &word, sizeof(Value));
    return target.value;
  }
  bool compare_exchange(T& expected, Execution::CompareExchange how) {
    how.expected = to_word(expected);
    const Execution::Found found = Execution::current().compare_exchange(location_, how);
    expected = from_word(found.value);
    return found.exchanged;
  }

  Location location_;
};

/// The atomics policy of the explorer. `light_fence` costs nothing and orders nothing.
struct ModelAtomics {
  template <class T>
  using Atomic = ModelAtomic<T>;
  static constexpr bool kFollowsFences = true;

  static void fence_seq_cst() { Execution::current().fence_seq_cst(); }
  static void light_fence() {}
  static void heavy_fence() { Execution::current().heavy_fence(); }
  static void pause() { Execution::current().pause(); }
  static void yield() { Execution::current().pause(); }
};

/// Replaces the kernel's futex. A deadline may pass at any moment that the explorer chooses.
struct ModelFutex {
  [[nodiscard]] static bool wait(const ModelAtomic<std::uint32_t>& word,
                                 std::uint32_t expected,
                                 std::optional<base::TimePoint> deadline) {
    return Execution::current().futex_wait(word.location(), expected, deadline.has_value());
  }
  static void wake_one(const ModelAtomic<std::uint32_t>& word) {
    Execution::current().futex_wake_one(word.location());
  }
  [[nodiscard]] static std::optional<base::TimePoint> deadline_after(base::Duration timeout) {
    return base::TimePoint{timeout};
  }
};

/// Plain data in code under exploration. The execution fails if two accesses, one of them a write,
/// are not ordered by synchronisation.
template <class T>
class Cell {
 public:
  explicit(false) Cell(T value = {}) : value_(value) { Execution::current().write_plain(record_); }
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;

  [[nodiscard]] T get() const {
    Execution::current().read_plain(record_);
    return value_;
  }
  void set(T value) {
    Execution::current().write_plain(record_);
    value_ = value;
  }

 private:
  T value_;
  mutable AccessRecord record_;
};

}  // namespace millrace::model
