#pragma once

#include <cstddef>
#include <vector>

#include "base/block_pool.h"

namespace millrace::base {

/// Lets the standard library take its blocks from BlockPool, and give them back there.
/// Threading: any thread; a block may be given back on another thread than it was taken on.
template <class T>
struct PooledAllocator {
  static_assert(alignof(T) <= alignof(std::max_align_t));
  using value_type = T;  // NOLINT(readability-identifier-naming): the library asks for this name.

  PooledAllocator() = default;
  template <class U>
  explicit(false) PooledAllocator(const PooledAllocator<U>&) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(BlockPool::allocate(count * sizeof(T)));
  }
  void deallocate(T* block, std::size_t count) { BlockPool::release(block, count * sizeof(T)); }
  bool operator==(const PooledAllocator&) const = default;
};

/// A vector for what is made, read and gone within a request.
template <class T>
using PooledVector = std::vector<T, PooledAllocator<T>>;

}  // namespace millrace::base
