#include "trace/trace_buffer.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <vector>

#include "trace/trace_record.h"

namespace millrace::trace {

TraceBuffer::TraceBuffer(std::size_t capacity)
    : mask_(std::bit_ceil(std::max<std::size_t>(capacity, 2)) - 1),
      slots_(std::make_unique<TraceRecord[]>(mask_ + 1)) {}

std::size_t TraceBuffer::drain(std::vector<TraceRecord>& out) {
  const std::size_t begin = read_index_.load(std::memory_order_relaxed);
  const std::size_t end = published_.load(std::memory_order_acquire);
  out.reserve(out.size() + (end - begin));
  for (std::size_t i = begin; i != end; ++i) out.push_back(slots_[i & mask_]);
  read_index_.store(end, std::memory_order_release);
  return end - begin;
}

}  // namespace millrace::trace
