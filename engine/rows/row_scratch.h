#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "rows/stop_check.h"

namespace millrace::rows {

class BufferPool;

/// A block of memory that returns to its pool when destroyed. Aligned to a cache line.
/// Threading: may be destroyed on any thread; otherwise not shared.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : pool_(other.pool_),
        data_(std::exchange(other.data_, nullptr)),
        capacity_bytes_(std::exchange(other.capacity_bytes_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    if (this == &other) return *this;
    if (data_ != nullptr) release();
    pool_ = other.pool_;
    data_ = std::exchange(other.data_, nullptr);
    capacity_bytes_ = std::exchange(other.capacity_bytes_, 0);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (data_ != nullptr) release();
  }

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t capacity_bytes() const { return capacity_bytes_; }

 private:
  friend class RowScratch;
  Buffer(BufferPool& pool, std::byte* data, std::size_t capacity_bytes)
      : pool_(&pool), data_(data), capacity_bytes_(capacity_bytes) {}
  void release();

  // Used for large blocks only: the pool lives as long as any of them is in use, so that a column
  // may outlive its scratch. A small block must not use it, because it may be gone.
  BufferPool* pool_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t capacity_bytes_ = 0;
};

/// A fixed-size array of plain values in a pooled buffer; contents start uninitialised.
/// Threading: not shared while it is written; may be destroyed on any thread.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  Array() = default;
  Array(Buffer buffer, std::size_t count) : buffer_(std::move(buffer)), count_(count) {}
  Array(Array&& other) noexcept
      : buffer_(std::move(other.buffer_)), count_(std::exchange(other.count_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    buffer_ = std::move(other.buffer_);
    count_ = std::exchange(other.count_, 0);
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() = default;

  [[nodiscard]] T* data() { return reinterpret_cast<T*>(buffer_.data()); }
  [[nodiscard]] const T* data() const { return reinterpret_cast<const T*>(buffer_.data()); }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t capacity() const { return buffer_.capacity_bytes() / sizeof(T); }
  [[nodiscard]] std::span<T> span() { return {data(), count_}; }
  [[nodiscard]] std::span<const T> span() const { return {data(), count_}; }
  [[nodiscard]] T& operator[](std::size_t index) { return data()[index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const { return data()[index]; }
  /// Changes the size without moving anything; `count` must be at most capacity().
  void resize_within_capacity(std::size_t count) { count_ = count; }
  /// Gives the memory away; the array is empty afterwards.
  [[nodiscard]] Buffer into_buffer() && {
    count_ = 0;
    return std::move(buffer_);
  }

 private:
  Buffer buffer_;
  std::size_t count_ = 0;
};

/// Where operators get memory for index vectors, temporaries and new columns. Blocks are reused, so
/// that a warm operator allocates a number of small objects that does not depend on the number of
/// rows. A block of a page or less goes to the free list of the thread that frees it, where any
/// scratch may take it (base::BlockPool); larger blocks, in power-of-two sizes, come back to their
/// scratch. The scratch also carries the check that tells an operator to stop; larger blocks count
/// in the budget of that check. Threading: one operator at a time; its blocks may be freed on any
/// thread.
class RowScratch {
 public:
  static constexpr std::size_t kRetainedBytesMax = std::size_t{64} << 20U;

  /// `retained_bytes_max` bounds the idle memory that the scratch keeps.
  explicit RowScratch(std::size_t retained_bytes_max = kRetainedBytesMax);
  ~RowScratch();
  RowScratch(const RowScratch&) = delete;
  RowScratch& operator=(const RowScratch&) = delete;

  /// Gives an uninitialised array of `count` values.
  template <class T>
  [[nodiscard]] Array<T> make_array(std::size_t count) {
    return Array<T>(take(count * sizeof(T)), count);
  }
  /// Gives a block of at least `bytes`.
  [[nodiscard]] Buffer take(std::size_t bytes);
  /// Bytes of idle large blocks that the scratch keeps.
  [[nodiscard]] std::size_t retained_bytes() const;

  /// The check that operators ask between parts of their work. If it says stop, they fail with its
  /// error.
  [[nodiscard]] const StopCheck& stop() const { return stop_; }
  /// Sets the check for the operators that come next. Lifetime: `stop` borrows its subject, which
  /// must live until the next set_stop.
  void set_stop(const StopCheck& stop) { stop_ = stop; }
  /// Counts memory in the budget that did not come from the scratch, such as that of texts.
  void count_bytes(std::size_t bytes) { stop_.take(bytes); }
  /// Gives the budget back what was taken since `set_stop`; for an operator that failed.
  void give_back() { stop_.give_back(); }

 private:
  BufferPool* const pool_;
  StopCheck stop_;
};

}  // namespace millrace::rows
