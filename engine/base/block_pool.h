#pragma once

#include <cstddef>
#include <cstdint>

namespace millrace::base {

/// Memory for coroutine frames, columns and other short-lived blocks, kept per thread in lists by
/// size.
///
/// A released block goes to the list of the thread that releases it and is given out again for the
/// next block of its size, so a thread that has run for a while allocates nothing. A task is
/// destroyed on the executor that made it, hence on a loop blocks come back to where they were
/// taken.
///
/// Bounds: sizes are rounded up to kStepBytes; blocks above kPooledBytesMax come from the heap each
/// time; a thread keeps at most kKeptBytesMax per size, so 16 MiB in all; the rest goes back to the
/// heap, as does everything when the thread ends.
///
/// Threading: any thread; a block may be released on another thread than it was taken on.
class BlockPool {
 public:
  static constexpr std::size_t kStepBytes = 64;
  static constexpr std::size_t kPooledBytesMax = 4096;
  static constexpr std::size_t kKeptBytesMax = std::size_t{256} << 10;

  /// Gives `size` bytes, aligned to kStepBytes: a cache line.
  [[nodiscard]] static void* allocate(std::size_t size);
  /// Takes back what `allocate(size)` gave.
  static void release(void* block, std::size_t size) noexcept;

  /// What the calling thread has allocated since it started.
  struct Counters {
    std::uint64_t from_heap = 0;   ///< blocks that had to be allocated
    std::uint64_t reused = 0;      ///< blocks that came from a list
    std::uint64_t kept_bytes = 0;  ///< in the lists now
  };
  [[nodiscard]] static Counters counters();
};

}  // namespace millrace::base
