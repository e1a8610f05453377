#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "model_atomics.h"

// Policies with one bug each. Code that is correct under ModelAtomics must fail under these;
// otherwise the model cannot find that kind of bug.
namespace millrace::model {

struct NoFences : ModelAtomics {
  static void fence_seq_cst() {}
};

struct NoHeavyFence : ModelAtomics {
  static void heavy_fence() { Execution::current().fence_seq_cst(); }
};

/// An update that is not atomic: a load and then a store.
struct TornUpdates : ModelAtomics {
  template <class T>
  struct Atomic : ModelAtomic<T> {
    using ModelAtomic<T>::ModelAtomic;

    T exchange(T value, std::memory_order /*order*/) {
      const T found = this->load(std::memory_order_acquire);
      this->store(value, std::memory_order_seq_cst);
      return found;
    }
    bool compare_exchange_strong(T& expected,
                                 T desired,
                                 std::memory_order /*success*/,
                                 std::memory_order /*failure*/) {
      const T found = this->load(std::memory_order_acquire);
      const bool equal = found == expected;
      if (equal) this->store(desired, std::memory_order_seq_cst);
      expected = found;
      return equal;
    }
    bool compare_exchange_weak(T& expected,
                               T desired,
                               std::memory_order success,
                               std::memory_order failure) {
      return compare_exchange_strong(expected, desired, success, failure);
    }
    T fetch_add(T value, std::memory_order /*order*/) {
      const T found = this->load(std::memory_order_acquire);
      this->store(static_cast<T>(found + value), std::memory_order_seq_cst);
      return found;
    }
    T fetch_sub(T value, std::memory_order order) {
      return fetch_add(static_cast<T>(T{} - value), order);
    }
  };
};

/// A set of bits of which one is removed by a load and then a store.
struct TornRemoval : ModelAtomics {
  template <class T>
  struct Atomic : ModelAtomic<T> {
    using ModelAtomic<T>::ModelAtomic;

    T fetch_and(T value, std::memory_order /*order*/) {
      const T found = this->load(std::memory_order_acquire);
      this->store(static_cast<T>(found & value), std::memory_order_seq_cst);
      return found;
    }
  };
};

namespace planted_detail {
constexpr std::memory_order without_release(std::memory_order order) {
  if (order == std::memory_order_release) return std::memory_order_relaxed;
  return order == std::memory_order_acq_rel ? std::memory_order_acquire : order;
}
constexpr std::memory_order without_acquire(std::memory_order order) {
  if (order == std::memory_order_acquire) return std::memory_order_relaxed;
  return order == std::memory_order_acq_rel ? std::memory_order_release : order;
}
constexpr std::memory_order without_seq_cst(std::memory_order order) {
  return order == std::memory_order_seq_cst ? std::memory_order_acq_rel : order;
}
}  // namespace planted_detail

/// Operations with weaker memory orders than requested.
template <std::memory_order (*kWeaken)(std::memory_order), class Base = ModelAtomics>
struct WeakerOrders : Base {
  template <class T>
  struct Atomic : ModelAtomic<T> {
    using ModelAtomic<T>::ModelAtomic;

    [[nodiscard]] T load(std::memory_order order) const {
      return ModelAtomic<T>::load(kWeaken(order));
    }
    void store(T value, std::memory_order order) { ModelAtomic<T>::store(value, kWeaken(order)); }
    T exchange(T value, std::memory_order order) {
      return ModelAtomic<T>::exchange(value, kWeaken(order));
    }
    bool compare_exchange_strong(T& expected,
                                 T desired,
                                 std::memory_order success,
                                 std::memory_order failure) {
      return ModelAtomic<T>::compare_exchange_strong(
          expected, desired, kWeaken(success), kWeaken(failure));
    }
    bool compare_exchange_weak(T& expected,
                               T desired,
                               std::memory_order success,
                               std::memory_order failure) {
      return ModelAtomic<T>::compare_exchange_weak(
          expected, desired, kWeaken(success), kWeaken(failure));
    }
    T fetch_add(T value, std::memory_order order) {
      return ModelAtomic<T>::fetch_add(value, kWeaken(order));
    }
    T fetch_sub(T value, std::memory_order order) {
      return ModelAtomic<T>::fetch_sub(value, kWeaken(order));
    }
  };
};

using NoRelease = WeakerOrders<planted_detail::without_release>;
using NoAcquire = WeakerOrders<planted_detail::without_acquire>;

/// For the variant of code that uses no fences: correct, and with its seq_cst operations weakened.
struct NoFenceFollowing : ModelAtomics {
  static constexpr bool kFollowsFences = false;
};
using NoSeqCst = WeakerOrders<planted_detail::without_seq_cst, NoFenceFollowing>;

/// A kernel that falls asleep without comparing the word first.
struct HastyFutex : ModelFutex {
  [[nodiscard]] static bool wait(const ModelAtomic<std::uint32_t>& word,
                                 std::uint32_t /*expected*/,
                                 std::optional<base::TimePoint> deadline) {
    return ModelFutex::wait(word, word.load(std::memory_order_relaxed), deadline);
  }
};

}  // namespace millrace::model
