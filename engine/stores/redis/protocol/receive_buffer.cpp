#include "stores/redis/protocol/receive_buffer.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace millrace::stores {

namespace {

/// With less room than this a new block is taken, because a read of few bytes wastes a system call.
constexpr std::size_t kReadBytesMin = std::size_t{8} << 10U;

}  // namespace

std::span<char> ReceiveBuffer::space(std::size_t bytes_wanted) {
  const std::size_t unread = end_ - begin_;
  const bool may_overwrite = is_sole_owner() && capacity_ <= 2 * kBlockBytes;
  if (unread == 0 && may_overwrite) begin_ = end_ = 0;
  const std::size_t needed = std::max(bytes_wanted, unread + kReadBytesMin);
  if (block_ == nullptr || begin_ + needed > capacity_) {
    if (may_overwrite && needed <= capacity_) {
      std::memmove(block_.get(), block_.get() + begin_, unread);
    } else {
      change_block(needed);
    }
    begin_ = 0;
    end_ = unread;
  }
  return {block_.get() + end_, capacity_ - end_};
}

void ReceiveBuffer::change_block(std::size_t needed) {
  const std::shared_ptr<char[]> full = std::move(block_);
  const std::size_t capacity = std::max(kBlockBytes, needed);
  const auto is_free = [](const std::shared_ptr<char[]>& block) { return block.use_count() == 1; };
  if (const auto kept = std::ranges::find_if(kept_, is_free);
      capacity == kBlockBytes && kept != kept_.end()) {
    block_ = std::move(*kept);
    kept_.erase(kept);
  } else {
    block_ = std::make_shared_for_overwrite<char[]>(capacity);
  }
  if (end_ != begin_) std::memcpy(block_.get(), full.get() + begin_, end_ - begin_);
  if (capacity_ == kBlockBytes && kept_.size() < kBlocksKept) kept_.push_back(full);
  capacity_ = capacity;
}

void ReceiveBuffer::clear() {
  block_.reset();
  kept_.clear();
  capacity_ = begin_ = end_ = 0;
}

}  // namespace millrace::stores
