#include "expr/machine/string_pool.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "rows/dictionary.h"

namespace millrace::expr {

namespace {

constexpr std::size_t kFirstSlotCount = 16;

std::size_t hash_of(std::string_view value) { return std::hash<std::string_view>{}(value); }

}  // namespace

std::int32_t StringPool::add(std::string_view value) {
  if (2 * (values_.size() + 1) > slots_.size()) grow();
  const std::size_t hash = hash_of(value);
  std::int32_t& slot = slots_[slot_of(value, hash)];
  if (slot < 0) {
    slot = size();
    values_.push_back(value);
    hashes_.push_back(hash);
  }
  return slot;
}

std::int32_t StringPool::add_owned(std::string value) {
  owned_.push_back(std::move(value));
  const std::int32_t size_before = size();
  const std::int32_t code = add(owned_.back());
  if (size() == size_before) owned_.pop_back();
  return code;
}

rows::DictionaryRef StringPool::to_dictionary() const {
  rows::DictionaryBuilder builder;
  for (std::int32_t code = 0; code < size(); ++code) {
    const std::int32_t same = builder.add(at(code));
    MR_DCHECK(same == code, same, code);
    static_cast<void>(same);
  }
  return builder.finish();
}

void StringPool::clear() {
  if (values_.empty()) return;
  values_.clear();
  hashes_.clear();
  owned_.clear();
  std::ranges::fill(slots_, -1);
}

std::size_t StringPool::slot_of(std::string_view value, std::size_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] >= 0) {
    const auto code = static_cast<std::size_t>(slots_[slot]);
    if (hashes_[code] == hash && values_[code] == value) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

void StringPool::grow() {
  slots_.assign(std::max(kFirstSlotCount, 2 * slots_.size()), -1);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t code = 0; code < values_.size(); ++code) {
    std::size_t slot = hashes_[code] & mask;
    while (slots_[slot] >= 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::int32_t>(code);
  }
}

}  // namespace millrace::expr
