#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "base/check.h"

namespace millrace::expr {

/// The result of an instruction for each code of a dictionary, filled in as codes occur. Entries
/// carry the generation in which they were written, so clearing the table costs nothing, however
/// large the dictionary is: only codes that occur are ever touched.
/// Threading: not shared.
class CodeTable {
 public:
  /// Forgets all entries and makes room for codes in [0, code_count).
  void start(std::size_t code_count) {
    ++generation_;
    if (generation_ == 0) {
      std::fill_n(stamps_.get(), capacity_, 0U);
      generation_ = 1;
    }
    reserve(code_count);
  }

  /// Makes room for more codes and keeps the entries. A table always has room for at least one
  /// code.
  void reserve(std::size_t code_count) {
    if (code_count > capacity_ || capacity_ == 0) grow(code_count);
  }

  [[nodiscard]] bool knows(std::int32_t code) const { return stamps_.get()[code] == generation_; }

  /// Sets the entry of one code. T must be the same type for all entries of a generation.
  template <class T>
  void set(std::int32_t code, T value) {
    reinterpret_cast<T*>(values_.get())[code] = value;
    stamps_.get()[code] = generation_;
  }

  /// Writes the entry of each code and says whether all codes had one. The value written for a code
  /// without an entry is meaningless.
  template <class T>
  [[nodiscard]] bool look_up(const std::int32_t* codes,
                             std::size_t count,
                             T* __restrict out) const {
    const auto* values = reinterpret_cast<const T*>(values_.get());
    const std::uint32_t* stamps = stamps_.get();
    std::uint32_t unknown = 0;
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = values[codes[i]];
      unknown |= stamps[codes[i]] ^ generation_;
    }
    return unknown == 0;
  }

  /// Gives back the memory of a table so large that keeping it would be a leak.
  void trim(std::size_t code_count_max) {
    if (capacity_ <= code_count_max) return;
    values_.reset();
    stamps_.reset();
    capacity_ = 0;
    generation_ = 0;
  }

 private:
  static constexpr std::size_t kCapacityMin = 64;
  static constexpr std::size_t kEntryBytesMax = 8;

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  // Zeroed memory from the system costs nothing until it is touched.
  template <class T>
  static std::unique_ptr<T[], Free> allocate(std::size_t count) {
    void* memory = std::calloc(count, sizeof(T));
    MR_CHECK(memory != nullptr, count);
    return std::unique_ptr<T[], Free>(static_cast<T*>(memory));
  }

  void grow(std::size_t code_count) {
    const std::size_t capacity = std::bit_ceil(std::max(kCapacityMin, code_count));
    auto values = allocate<std::byte>(capacity * kEntryBytesMax);
    auto stamps = allocate<std::uint32_t>(capacity);
    if (capacity_ != 0) {
      std::memcpy(values.get(), values_.get(), capacity_ * kEntryBytesMax);
      std::memcpy(stamps.get(), stamps_.get(), capacity_ * sizeof(std::uint32_t));
    }
    values_ = std::move(values);
    stamps_ = std::move(stamps);
    capacity_ = capacity;
  }

  std::unique_ptr<std::byte[], Free> values_;
  std::unique_ptr<std::uint32_t[], Free> stamps_;
  std::size_t capacity_ = 0;
  std::uint32_t generation_ = 0;
};

}  // namespace millrace::expr
