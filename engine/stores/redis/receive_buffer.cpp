#include "stores/redis/receive_buffer.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace millrace::stores {

namespace {

/// Below this a read is not worth its system call.
constexpr std::size_t kReadBytesMin = std::size_t{8} << 10U;

}  // namespace

std::span<char> ReceiveBuffer::space(std::size_t bytes_wanted) {
  const std::size_t unread = end_ - begin_;
  const bool is_sole_owner = block_.use_count() == 1;
  if (unread == 0 && is_sole_owner && capacity_ <= 2 * kBlockBytes) begin_ = end_ = 0;
  const std::size_t needed = std::max(bytes_wanted, unread + kReadBytesMin);
  if (block_ == nullptr || begin_ + needed > capacity_) {
    if (is_sole_owner && needed <= capacity_ && capacity_ <= 2 * kBlockBytes) {
      std::memmove(block_.get(), block_.get() + begin_, unread);
    } else {
      const std::size_t capacity = std::max(kBlockBytes, needed);
      auto larger = std::make_shared_for_overwrite<char[]>(capacity);
      if (unread != 0) std::memcpy(larger.get(), block_.get() + begin_, unread);
      block_ = std::move(larger);
      capacity_ = capacity;
    }
    begin_ = 0;
    end_ = unread;
  }
  return {block_.get() + end_, capacity_ - end_};
}

void ReceiveBuffer::clear() {
  block_.reset();
  capacity_ = begin_ = end_ = 0;
}

}  // namespace millrace::stores
