#include "expr/value_set.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace::expr {

namespace {

// Up to here comparing with each element, a loop that vectorises, beats looking each row up.
constexpr std::size_t kScanMax = 8;
constexpr std::size_t kSlotsMin = 16;

}  // namespace

template <class T>
NumberSet<T>::NumberSet(std::span<const T> values) {
  const std::size_t slot_count = std::bit_ceil(std::max(kSlotsMin, 2 * values.size()));
  keys_.resize(slot_count);
  used_.resize(slot_count);
  shift_ = 64U - static_cast<std::uint32_t>(std::countr_zero(slot_count));
  for (const T value : values) {
    if (value != value || contains(value)) continue;
    distinct_.push_back(value);
    std::size_t slot = slot_of(key_of(value));
    while (used_[slot] != 0) slot = (slot + 1) & (slot_count - 1);
    keys_[slot] = key_of(value);
    used_[slot] = 1;
  }
}

template <class T>
void NumberSet<T>::test(std::span<const T> values, std::uint8_t* __restrict out) const {
  if (distinct_.size() > kScanMax) {
    for (std::size_t i = 0; i < values.size(); ++i) out[i] = contains(values[i]) ? 1 : 0;
    return;
  }
  std::memset(out, 0, values.size());
  for (const T element : distinct_) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      out[i] |= static_cast<std::uint8_t>(values[i] == element);
    }
  }
}

template class NumberSet<std::int64_t>;
template class NumberSet<double>;

StringSet::StringSet(std::vector<std::string> values) : sorted_(std::move(values)) {
  std::ranges::sort(sorted_);
}

bool StringSet::contains(std::string_view value) const {
  return std::binary_search(sorted_.begin(), sorted_.end(), value, std::less<>{});
}

}  // namespace millrace::expr
