#include "rows/row_scratch.h"

#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "base/block_pool.h"
#include "base/sync/spin_mutex.h"
#include "base/sync/thread_annotations.h"

namespace millrace::rows {

namespace {

constexpr std::size_t kAlignmentBytes = 64;
constexpr std::size_t kClassCount = 64;

// Small blocks come from the thread's own free lists, which need no lock; larger ones come from a
// BufferPool.
constexpr std::size_t kSmallBytesMax = base::BlockPool::kPooledBytesMax;

// Small blocks are whole cache lines, others powers of two.
std::size_t capacity_for(std::size_t bytes) {
  if (bytes > kSmallBytesMax) return std::bit_ceil(bytes);
  return (bytes + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
}

std::size_t class_of(std::size_t capacity_bytes) {
  return static_cast<std::size_t>(std::countr_zero(capacity_bytes));
}

}  // namespace

/// Free lists by size. Each idle block holds the link to the next in its first bytes. The pool is
/// owned by its RowScratch and by the blocks in use: the last of them to go deletes it.
/// Threading: any thread; a buffer may be destroyed on another thread than the one that made it.
class BufferPool {
 public:
  explicit BufferPool(std::size_t retained_bytes_max) : retained_bytes_max_(retained_bytes_max) {}
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  /// Ends the ownership of the scratch: deletes the pool now, or when its last block comes back.
  void close() MR_EXCLUDES(mutex_) {
    bool is_last = false;
    {
      const base::SpinLock lock(mutex_);
      is_closed_ = true;
      is_last = taken_count_ == 0;
    }
    if (is_last) delete this;
  }

  ~BufferPool() {
    for (Idle* head : free_) {
      while (head != nullptr)
        deallocate(reinterpret_cast<std::byte*>(std::exchange(head, head->next)));
    }
  }

  [[nodiscard]] std::byte* take(std::size_t capacity_bytes) MR_EXCLUDES(mutex_) {
    {
      const base::SpinLock lock(mutex_);
      ++taken_count_;
      Idle*& head = free_[class_of(capacity_bytes)];
      if (head != nullptr) {
        retained_bytes_ -= capacity_bytes;
        return reinterpret_cast<std::byte*>(std::exchange(head, head->next));
      }
    }
    return static_cast<std::byte*>(
        ::operator new(capacity_bytes, std::align_val_t{kAlignmentBytes}));
  }

  /// Takes a block back. Deletes the pool if the scratch is gone and this was the last block in
  /// use.
  void give_back(std::byte* data, std::size_t capacity_bytes) MR_EXCLUDES(mutex_) {
    bool is_last = false;
    {
      const base::SpinLock lock(mutex_);
      --taken_count_;
      is_last = is_closed_ && taken_count_ == 0;
      if (retained_bytes_ + capacity_bytes <= retained_bytes_max_) {
        Idle*& head = free_[class_of(capacity_bytes)];
        head = new (data) Idle{head};
        retained_bytes_ += capacity_bytes;
        data = nullptr;
      }
    }
    if (data != nullptr) deallocate(data);
    if (is_last) delete this;
  }

  [[nodiscard]] std::size_t retained_bytes() MR_EXCLUDES(mutex_) {
    const base::SpinLock lock(mutex_);
    return retained_bytes_;
  }

 private:
  struct Idle {
    Idle* next;
  };

  static void deallocate(std::byte* data) {
    ::operator delete(data, std::align_val_t{kAlignmentBytes});
  }

  // Constant after construction.
  const std::size_t retained_bytes_max_;
  // Guarded by mutex_.
  base::SpinMutex mutex_;
  std::array<Idle*, kClassCount> free_ MR_GUARDED_BY(mutex_){};
  std::size_t retained_bytes_ MR_GUARDED_BY(mutex_) = 0;
  std::size_t taken_count_ MR_GUARDED_BY(mutex_) = 0;
  bool is_closed_ MR_GUARDED_BY(mutex_) = false;
};

void Buffer::release() {
  std::byte* const data = std::exchange(data_, nullptr);
  const std::size_t bytes = std::exchange(capacity_bytes_, 0);
  if (bytes <= kSmallBytesMax) return base::BlockPool::release(data, bytes);
  pool_->give_back(data, bytes);
}

RowScratch::RowScratch(std::size_t retained_bytes_max)
    : pool_(new BufferPool(retained_bytes_max)) {}

RowScratch::~RowScratch() { pool_->close(); }

Buffer RowScratch::take(std::size_t bytes) {
  if (bytes == 0) return {};
  const std::size_t capacity_bytes = capacity_for(bytes);
  if (capacity_bytes <= kSmallBytesMax) {
    auto* const data = static_cast<std::byte*>(base::BlockPool::allocate(capacity_bytes));
    return Buffer(*pool_, data, capacity_bytes);
  }
  stop_.take(capacity_bytes);
  return Buffer(*pool_, pool_->take(capacity_bytes), capacity_bytes);
}

std::size_t RowScratch::retained_bytes() const { return pool_->retained_bytes(); }

}  // namespace millrace::rows
