#include "stores/redis/inflight_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace::stores {

namespace {

std::uint64_t mix(std::uint64_t left, std::uint64_t right) {
  const auto product =
      static_cast<unsigned __int128>(left ^ 0x9E3779B97F4A7C15U) * (right ^ 0xBF58476D1CE4E5B9U);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

std::uint64_t load(const char* from, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, size);
  return word;
}

}  // namespace

std::uint64_t InflightTable::hash_of(std::uint32_t shape, std::string_view key) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  std::uint64_t hash = mix(shape, key.size());
  while (key.size() > kWord) {
    hash = mix(hash, load(key.data(), kWord));
    key.remove_prefix(kWord);
  }
  return key.empty() ? hash : mix(hash, load(key.data(), key.size()));
}

const InflightTable::Entry& InflightTable::find_or_add(const Entry& entry, bool& added) {
  if (2 * (size_ + 1) > slots_.size()) grow();
  std::size_t slot = home(entry.hash);
  for (; slots_[slot].fetch != nullptr; slot = next(slot)) {
    const Entry& other = slots_[slot];
    if (other.hash == entry.hash && other.shape == entry.shape && other.key == entry.key) {
      added = false;
      return other;
    }
  }
  slots_[slot] = entry;
  ++size_;
  added = true;
  return slots_[slot];
}

void InflightTable::remove(const Entry& entry) {
  if (slots_.empty()) return;
  std::size_t slot = home(entry.hash);
  while (slots_[slot].fetch != entry.fetch || slots_[slot].hash != entry.hash ||
         slots_[slot].index != entry.index) {
    if (slots_[slot].fetch == nullptr) return;
    slot = next(slot);
  }
  // Entries behind the gap move up, so that no search ends too early.
  std::size_t gap = slot;
  for (slot = next(slot); slots_[slot].fetch != nullptr; slot = next(slot)) {
    const std::size_t mask = slots_.size() - 1;
    const std::size_t wanted = home(slots_[slot].hash);
    if (((slot - wanted) & mask) >= ((slot - gap) & mask)) {
      slots_[gap] = slots_[slot];
      gap = slot;
    }
  }
  slots_[gap].fetch = nullptr;
  --size_;
}

void InflightTable::grow() {
  const std::vector<Entry> old =
      std::exchange(slots_, std::vector<Entry>(std::max(kSlotsMin, 2 * slots_.size())));
  for (const Entry& entry : old) {
    if (entry.fetch == nullptr) continue;
    std::size_t slot = home(entry.hash);
    while (slots_[slot].fetch != nullptr) slot = next(slot);
    slots_[slot] = entry;
  }
}

void InflightTable::clear() {
  if (size_ == 0) return;
  std::ranges::fill(slots_, Entry{});
  size_ = 0;
}

}  // namespace millrace::stores
