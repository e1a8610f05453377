#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace::base {

struct ArenaOptions {
  std::size_t first_block_bytes = 4096;
  /// Blocks double in size up to this; a larger object gets a block of its own.
  std::size_t block_bytes_max = std::size_t{256} << 10U;
  /// Everything together; beyond it allocation is refused.
  std::size_t total_bytes_max = std::size_t{64} << 20U;
  /// What reset() keeps for the next run; one huge run must not pin its memory for ever.
  std::size_t kept_bytes_max = std::size_t{1} << 20U;
};

/// Memory of one run: allocation moves a pointer, and everything goes at once.
///
/// Objects are never destroyed one by one, so only trivially destructible types may live here.
/// reset() keeps the blocks, so a warm run of usual size asks the heap for nothing. Under
/// AddressSanitizer, memory that is not handed out is poisoned: use after reset() is reported.
/// Threading: not shared.
/// Lifetime: what it hands out lives until reset() or the end of the arena.
class Arena {
 public:
  explicit Arena(ArenaOptions options = {});
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Gives uninitialised memory, never null for 0 bytes; null if `total_bytes_max` would be
  /// exceeded. `alignment` is a power of two.
  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t alignment);

  /// Makes an object, or gives null like try_allocate.
  template <class T, class... Args>
  [[nodiscard]] T* try_make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena runs no destructors");
    void* place = try_allocate(sizeof(T), alignof(T));
    return place == nullptr ? nullptr : ::new (place) T{std::forward<Args>(args)...};
  }

  /// Makes `count` value-initialised objects side by side, or gives null like try_allocate.
  template <class T>
  [[nodiscard]] T* try_make_array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena runs no destructors");
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) return nullptr;
    void* place = try_allocate(count * sizeof(T), alignof(T));
    if (place == nullptr) return nullptr;
    T* first = static_cast<T*>(place);
    std::uninitialized_value_construct_n(first, count);
    return first;
  }

  /// Takes back everything handed out and keeps up to `kept_bytes_max` of blocks.
  void reset();

  /// Bytes handed out since the last reset, padding included.
  [[nodiscard]] std::size_t used_bytes() const { return used_before_ + (next_ - begin_); }
  /// Bytes held from the heap.
  [[nodiscard]] std::size_t reserved_bytes() const { return reserved_bytes_; }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes = 0;
  };

  [[nodiscard]] bool try_next_block(std::size_t bytes_needed);
  [[nodiscard]] bool try_add_block(std::size_t bytes_needed);
  void enter_block(std::size_t block_index);

  ArenaOptions options_;
  std::vector<Block> blocks_;
  std::size_t block_count_entered_ = 0;
  std::size_t reserved_bytes_ = 0;
  std::size_t used_before_ = 0;  // in blocks already left behind
  std::uintptr_t begin_ = 0;     // of the current block
  std::uintptr_t next_ = 0;
  std::uintptr_t end_ = 0;
};

}  // namespace millrace::base
