#include "rows/dictionary.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"

namespace millrace::rows {

namespace {

constexpr std::size_t kFirstSlotCount = 16;

std::uint32_t hash_of(std::string_view value) {
  const std::size_t hash = std::hash<std::string_view>{}(value);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32U));
}

std::vector<std::int32_t> compute_ranks(const Dictionary& dictionary) {
  const auto count = static_cast<std::size_t>(dictionary.size());
  std::vector<std::int32_t> by_value(count);
  std::iota(by_value.begin(), by_value.end(), 0);
  std::sort(by_value.begin(), by_value.end(), [&](std::int32_t left, std::int32_t right) {
    return dictionary.at(left) < dictionary.at(right);
  });
  std::vector<std::int32_t> sort_positions(count);
  for (std::size_t rank = 0; rank < count; ++rank) {
    sort_positions[static_cast<std::size_t>(by_value[rank])] = static_cast<std::int32_t>(rank);
  }
  return sort_positions;
}

}  // namespace

Dictionary::~Dictionary() { delete sort_positions_.load(std::memory_order_relaxed); }

std::string_view Dictionary::at(std::int32_t code) const {
  const auto index = static_cast<std::size_t>(code);
  MR_DCHECK(index < ends_.size(), code);
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(bytes_).substr(begin, ends_[index] - begin);
}

std::optional<std::int32_t> Dictionary::find_code(std::string_view value) const {
  if (slots_.empty()) return std::nullopt;
  const std::int32_t code = slots_[slot_of(value, hash_of(value))].code;
  return code < 0 ? std::nullopt : std::optional(code);
}

std::span<const std::int32_t> Dictionary::sort_positions() const {
  // Acquire pairs with the release below: a thread that sees the pointer also sees the table.
  const std::vector<std::int32_t>* table = sort_positions_.load(std::memory_order_acquire);
  if (table == nullptr) {
    auto fresh = std::make_unique<const std::vector<std::int32_t>>(compute_ranks(*this));
    if (sort_positions_.compare_exchange_strong(
            table, fresh.get(), std::memory_order_release, std::memory_order_acquire)) {
      table = fresh.release();
    }
  }
  return *table;
}

std::size_t Dictionary::slot_of(std::string_view value, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot].code >= 0) {
    if (slots_[slot].hash == hash && at(slots_[slot].code) == value) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

void Dictionary::grow_slots() {
  std::vector<Slot> old(slots_.empty() ? kFirstSlotCount : 2 * slots_.size());
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& entry : old) {
    if (entry.code < 0) continue;
    std::size_t slot = entry.hash & mask;
    while (slots_[slot].code >= 0) slot = (slot + 1) & mask;
    slots_[slot] = entry;
  }
}

DictionaryBuilder::DictionaryBuilder() : dictionary_(std::make_shared<Dictionary>()) {}

std::int32_t DictionaryBuilder::add(std::string_view value) {
  Dictionary& dictionary = *dictionary_;
  // Grow before the table is more than half full.
  if (2 * (dictionary.ends_.size() + 1) > dictionary.slots_.size()) dictionary.grow_slots();
  const std::uint32_t hash = hash_of(value);
  Dictionary::Slot& slot = dictionary.slots_[dictionary.slot_of(value, hash)];
  if (slot.code >= 0) return slot.code;
  MR_CHECK(dictionary.ends_.size() < std::numeric_limits<std::int32_t>::max());
  slot = {.hash = hash, .code = dictionary.size()};
  dictionary.bytes_.append(value);
  dictionary.ends_.push_back(dictionary.bytes_.size());
  return slot.code;
}

DictionaryRef DictionaryBuilder::finish() {
  return std::exchange(dictionary_, std::make_shared<Dictionary>());
}

DictionaryRef make_dictionary(std::span<const std::string_view> values) {
  DictionaryBuilder builder;
  for (const std::string_view value : values) static_cast<void>(builder.add(value));
  return builder.finish();
}

}  // namespace millrace::rows
