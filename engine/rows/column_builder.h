#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "rows/column.h"
#include "rows/dictionary.h"
#include "rows/row_scratch.h"

namespace millrace::rows {

/// A growing array in pooled memory.
/// Threading: not shared. Lifetime: borrows the scratch.
template <class T>
class ArrayBuilder {
 public:
  explicit ArrayBuilder(RowScratch& scratch, std::size_t capacity_hint = 0)
      : scratch_(&scratch), array_(scratch.make_array<T>(capacity_hint)) {
    array_.resize_within_capacity(0);
  }

  void append(T value) {
    const std::size_t count = array_.size();
    if (count == array_.capacity()) [[unlikely]]
      grow();
    array_.resize_within_capacity(count + 1);
    array_[count] = value;
  }
  [[nodiscard]] std::size_t size() const { return array_.size(); }
  [[nodiscard]] Array<T> finish() { return std::move(array_); }

 private:
  static constexpr std::size_t kFirstCapacity = 64;

  void grow() {
    const std::size_t count = array_.size();
    Array<T> larger = scratch_->make_array<T>(count == 0 ? kFirstCapacity : 2 * count);
    if (count != 0) std::memcpy(larger.data(), array_.data(), count * sizeof(T));
    larger.resize_within_capacity(count);
    array_ = std::move(larger);
  }

  RowScratch* scratch_;
  Array<T> array_;
};

/// The validity bytes of a column in the making; costs nothing until the first null.
/// Threading: not shared. Lifetime: borrows the scratch.
class ValidityBuilder {
 public:
  explicit ValidityBuilder(RowScratch& scratch) : bytes_(scratch) {}
  /// Notes that the row after `row_count` others has a value or is null.
  void append(bool valid, std::size_t row_count) {
    if (!valid && bytes_.size() == 0) fill(row_count);
    if (!valid || bytes_.size() != 0) bytes_.append(valid ? 1 : 0);
  }
  [[nodiscard]] Array<std::uint8_t> finish() { return bytes_.finish(); }

 private:
  void fill(std::size_t row_count) {
    for (std::size_t row = 0; row < row_count; ++row) bytes_.append(1);
  }

  ArrayBuilder<std::uint8_t> bytes_;
};

/// Builds an int64, float64 or bool (`std::uint8_t`) column row by row.
/// Threading: not shared. Lifetime: borrows the scratch.
template <class T>
class PlainColumnBuilder {
 public:
  explicit PlainColumnBuilder(RowScratch& scratch, std::size_t capacity_hint = 0)
      : values_(scratch, capacity_hint), validity_(scratch) {}

  void append(T value) {
    validity_.append(true, values_.size());
    values_.append(value);
  }
  void append_null() {
    validity_.append(false, values_.size());
    values_.append(T{});
  }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  /// Gives the column; the builder must not be used again.
  [[nodiscard]] ColumnRef finish();

 private:
  ArrayBuilder<T> values_;
  ValidityBuilder validity_;
};

using Int64ColumnBuilder = PlainColumnBuilder<std::int64_t>;
using Float64ColumnBuilder = PlainColumnBuilder<double>;
using BoolColumnBuilder = PlainColumnBuilder<std::uint8_t>;

/// Builds a string column and its dictionary row by row.
/// Threading: not shared. Lifetime: borrows the scratch.
class StringColumnBuilder {
 public:
  explicit StringColumnBuilder(RowScratch& scratch, std::size_t capacity_hint = 0)
      : codes_(scratch, capacity_hint), validity_(scratch) {}

  void append(std::string_view value) {
    validity_.append(true, codes_.size());
    codes_.append(dictionary_.add(value));
  }
  void append_null() {
    validity_.append(false, codes_.size());
    codes_.append(0);
  }
  [[nodiscard]] std::size_t size() const { return codes_.size(); }
  /// Gives the column; the builder must not be used again.
  [[nodiscard]] ColumnRef finish() {
    return Column::make_string(codes_.finish(), dictionary_.finish(), validity_.finish());
  }

 private:
  ArrayBuilder<std::int32_t> codes_;
  ValidityBuilder validity_;
  DictionaryBuilder dictionary_;
};

template <>
[[nodiscard]] inline ColumnRef PlainColumnBuilder<std::int64_t>::finish() {
  return Column::make_int64(values_.finish(), validity_.finish());
}
template <>
[[nodiscard]] inline ColumnRef PlainColumnBuilder<double>::finish() {
  return Column::make_float64(values_.finish(), validity_.finish());
}
template <>
[[nodiscard]] inline ColumnRef PlainColumnBuilder<std::uint8_t>::finish() {
  return Column::make_bool(values_.finish(), validity_.finish());
}

}  // namespace millrace::rows
