#include "expr/program/value_set.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace::expr {

namespace {

constexpr std::size_t kSlotsMin = 16;

// Compares every value with each of a few elements: a loop that vectorises.
template <std::size_t kCount, class T>
void scan(std::span<const T> values, const T* elements, std::uint8_t* __restrict out) {
  std::array<T, kCount> wanted;
  std::copy_n(elements, kCount, wanted.begin());
  const T* from = values.data();
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) {
    bool found = false;
    for (std::size_t k = 0; k < kCount; ++k) found |= from[i] == wanted[k];
    out[i] = found;
  }
}

}  // namespace

template <class T>
NumberSet<T>::NumberSet(std::span<const T> values) {
  const std::size_t slot_count = std::bit_ceil(std::max(kSlotsMin, 2 * values.size()));
  keys_.resize(slot_count);
  used_.resize(slot_count);
  shift_ = 64U - static_cast<std::uint32_t>(std::countr_zero(slot_count));
  for (const T value : values) {
    if (value != value || contains(value)) continue;
    few_.push_back(value);
    std::size_t slot = slot_of(key_of(value));
    while (used_[slot] != 0) slot = (slot + 1) & (slot_count - 1);
    keys_[slot] = key_of(value);
    used_[slot] = 1;
  }
  if (few_.size() > kFewMax) few_.clear();
  // Pad with repeats of an element, up to a size for which there is a loop.
  if (!few_.empty()) few_.resize(std::bit_ceil(few_.size()), few_.front());
}

template <class T>
void NumberSet<T>::test(std::span<const T> values, std::uint8_t* __restrict out) const {
  switch (few_.size()) {
    case 1:
      return scan<1>(values, few_.data(), out);
    case 2:
      return scan<2>(values, few_.data(), out);
    case 4:
      return scan<4>(values, few_.data(), out);
    case 8:
      return scan<8>(values, few_.data(), out);
    default:
      for (std::size_t i = 0; i < values.size(); ++i) out[i] = contains(values[i]) ? 1 : 0;
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
