#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "trace/trace_record.h"

namespace millrace::trace {

/// A bounded ring of records between one writing thread and one reading thread.
///
/// Writing is a copy and a release store: no lock, no allocation, no clock. A full ring refuses the
/// record and counts it, because waiting would let tracing change the run.
/// Threading: `record` from the one writer, `drain` from the one reader, `dropped_count` from any.
class TraceBuffer {
 public:
  /// Rounds `capacity` up to a power of two, at least 2.
  explicit TraceBuffer(std::size_t capacity);
  TraceBuffer(const TraceBuffer&) = delete;
  TraceBuffer& operator=(const TraceBuffer&) = delete;

  /// Appends one record, or counts it as dropped and returns false when the ring is full.
  bool record(const TraceRecord& record) noexcept {
    if (write_index_ - read_index_seen_ > mask_) [[unlikely]] {
      read_index_seen_ = read_index_.load(std::memory_order_acquire);
      if (write_index_ - read_index_seen_ > mask_) {
        dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return false;
      }
    }
    slots_[write_index_ & mask_] = record;
    ++write_index_;
    published_.store(write_index_, std::memory_order_release);
    return true;
  }

  /// Appends everything published so far to `out` and frees its slots; returns how many.
  std::size_t drain(std::vector<TraceRecord>& out);

  [[nodiscard]] std::uint64_t dropped_count() const {
    return dropped_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t capacity() const { return mask_ + 1; }

 private:
  // Constant after construction.
  std::size_t mask_;
  std::unique_ptr<TraceRecord[]> slots_;
  // Writer only.
  alignas(64) std::size_t write_index_ = 0;
  std::size_t read_index_seen_ = 0;
  // Counts refused records; a statistic, publishes nothing. Only the writer changes it.
  std::atomic<std::uint64_t> dropped_{0};
  // Publishes the slots below it to the reader (release by the writer, acquire by the reader).
  std::atomic<std::size_t> published_{0};
  // Publishes to the writer that the slots below it have been read and may be overwritten.
  alignas(64) std::atomic<std::size_t> read_index_{0};
};

}  // namespace millrace::trace
