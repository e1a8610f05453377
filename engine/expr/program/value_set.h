#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::expr {

/// The numbers of an `in` list. T is int64 or double; 0.0 and -0.0 are one number.
/// Threading: any thread once made.
template <class T>
class NumberSet {
 public:
  explicit NumberSet(std::span<const T> values);

  [[nodiscard]] bool contains(T value) const {
    const std::uint64_t key = key_of(value);
    std::size_t slot = slot_of(key);
    while (used_[slot] != 0) {
      if (keys_[slot] == key) return true;
      slot = (slot + 1) & (keys_.size() - 1);
    }
    return false;
  }

  /// Writes 1 where the value is in the set, else 0. `out` has as many entries.
  void test(std::span<const T> values, std::uint8_t* __restrict out) const;

 private:
  static std::uint64_t key_of(T value) {
    return std::bit_cast<std::uint64_t>(value == 0 ? T{} : value);
  }
  [[nodiscard]] std::size_t slot_of(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> shift_);
  }

  // Up to this size, comparing with each element is faster than a lookup per row.
  static constexpr std::size_t kFewMax = 8;

  std::vector<T> few_;  // the elements, if they are few: 1, 2, 4 or 8 with repeats
  // Open addressing with linear probing; a power of two, at most half full.
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint8_t> used_;
  std::uint32_t shift_ = 0;
};

/// The strings of an `in` list.
/// Threading: any thread once made.
class StringSet {
 public:
  explicit StringSet(std::vector<std::string> values);
  [[nodiscard]] bool contains(std::string_view value) const;

 private:
  std::vector<std::string> sorted_;
};

extern template class NumberSet<std::int64_t>;
extern template class NumberSet<double>;

}  // namespace millrace::expr
