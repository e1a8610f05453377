#include "base/arena.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <sanitizer/asan_interface.h>

#include "base/check.h"

namespace millrace::base {
namespace {

std::uintptr_t address_of(const std::byte* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

void* pointer_to(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): a bump allocator
}

}  // namespace

Arena::Arena(ArenaOptions options) : options_(options) {}

Arena::~Arena() {
  for (const Block& block : blocks_) ASAN_UNPOISON_MEMORY_REGION(block.memory.get(), block.bytes);
}

void* Arena::try_allocate(std::size_t bytes, std::size_t alignment) {
  MR_DCHECK(std::has_single_bit(alignment), alignment);
  std::uintptr_t start = (next_ + alignment - 1) & ~(alignment - 1);
  // Compares sizes, not addresses: `start + bytes` could wrap around.
  if (start > end_ || bytes > end_ - start || next_ == 0) {
    if (bytes > options_.total_bytes_max || !try_next_block(bytes + alignment)) return nullptr;
    start = (next_ + alignment - 1) & ~(alignment - 1);
  }
  next_ = start + bytes;
  ASAN_UNPOISON_MEMORY_REGION(pointer_to(start), bytes);
  return pointer_to(start);
}

void Arena::reset() {
  std::size_t kept_bytes = 0;
  std::size_t kept_count = 0;
  while (kept_count < blocks_.size() &&
         kept_bytes + blocks_[kept_count].bytes <= options_.kept_bytes_max) {
    kept_bytes += blocks_[kept_count].bytes;
    ++kept_count;
  }
  for (std::size_t index = 0; index < blocks_.size(); ++index) {
    const Block& block = blocks_[index];
    if (index < kept_count) {
      ASAN_POISON_MEMORY_REGION(block.memory.get(), block.bytes);
    } else {
      ASAN_UNPOISON_MEMORY_REGION(block.memory.get(), block.bytes);
    }
  }
  blocks_.resize(kept_count);
  reserved_bytes_ = kept_bytes;
  block_count_entered_ = 0;
  used_before_ = 0;
  begin_ = next_ = end_ = 0;
}

bool Arena::try_next_block(std::size_t bytes_needed) {
  // A kept block that is too small is skipped for this run.
  while (block_count_entered_ < blocks_.size()) {
    const std::size_t index = block_count_entered_++;
    if (blocks_[index].bytes >= bytes_needed) {
      enter_block(index);
      return true;
    }
  }
  if (!try_add_block(bytes_needed)) return false;
  enter_block(block_count_entered_++);
  return true;
}

bool Arena::try_add_block(std::size_t bytes_needed) {
  const std::size_t left =
      options_.total_bytes_max - std::min(reserved_bytes_, options_.total_bytes_max);
  if (bytes_needed > left) return false;
  const std::size_t usual = blocks_.empty()
                                ? options_.first_block_bytes
                                : std::min(blocks_.back().bytes * 2, options_.block_bytes_max);
  const std::size_t bytes = std::min(std::max(bytes_needed, usual), left);
  Block block{std::make_unique_for_overwrite<std::byte[]>(bytes), bytes};
  ASAN_POISON_MEMORY_REGION(block.memory.get(), bytes);
  blocks_.push_back(std::move(block));
  reserved_bytes_ += bytes;
  return true;
}

void Arena::enter_block(std::size_t block_index) {
  used_before_ += next_ - begin_;
  begin_ = next_ = address_of(blocks_[block_index].memory.get());
  end_ = begin_ + blocks_[block_index].bytes;
}

}  // namespace millrace::base
