#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "rows/dictionary.h"
#include "rows/row_scratch.h"
#include "rows/value.h"

namespace millrace::rows {

enum class ColumnType : std::uint8_t { kInt64, kFloat64, kBool, kString };

/// Gives the name people see: `int`, `float`, `bool`, `string`.
[[nodiscard]] std::string_view to_string(ColumnType type);

class Column;
/// Owners: every batch that has the column.
using ColumnRef = std::shared_ptr<const Column>;

/// One typed column of a batch: a contiguous array of values and, when some are null, an array of
/// validity bytes of the same length.
///
/// Layout: int64 and float64 as they are; bool as one byte, 0 or 1; string as int32 codes into a
/// dictionary. Validity is one byte per row, 1 = has a value, 0 = null; an empty span means that no
/// row is null. The value stored for a null row is unspecified but readable; the code of a null row
/// is in [0, max(1, dictionary size)), so a table indexed by code needs at least one entry. A
/// float64 may be NaN, which is a value; only ordering treats it as null.
/// Threading: any thread; immutable.
class Column {
 public:
  /// The four makers take over the arrays. `validity` is empty, or as long as `values`; when it
  /// turns out to hold no null it is dropped.
  [[nodiscard]] static ColumnRef make_int64(Array<std::int64_t> values,
                                            Array<std::uint8_t> validity = {});
  [[nodiscard]] static ColumnRef make_float64(Array<double> values,
                                              Array<std::uint8_t> validity = {});
  [[nodiscard]] static ColumnRef make_bool(Array<std::uint8_t> values,
                                           Array<std::uint8_t> validity = {});
  [[nodiscard]] static ColumnRef make_string(Array<std::int32_t> codes,
                                             DictionaryRef dictionary,
                                             Array<std::uint8_t> validity = {});

  [[nodiscard]] ColumnType type() const { return type_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool has_nulls() const { return !validity_.empty(); }
  /// One byte per row, or an empty span when no row is null.
  [[nodiscard]] std::span<const std::uint8_t> validity() const { return validity_.span(); }
  [[nodiscard]] bool is_null(std::size_t row) const { return has_nulls() && validity_[row] == 0; }

  /// The values; each may be called only on a column of that type.
  [[nodiscard]] std::span<const std::int64_t> int64s() const;
  [[nodiscard]] std::span<const double> float64s() const;
  [[nodiscard]] std::span<const std::uint8_t> bools() const;
  [[nodiscard]] std::span<const std::int32_t> codes() const;
  [[nodiscard]] const DictionaryRef& dictionary() const;

  /// One cell, for output and tests.
  [[nodiscard]] Value value_at(std::size_t row) const;

 private:
  struct Parts;

 public:
  /// Only the makers can name `Parts`.
  explicit Column(Parts&& parts);

 private:
  [[nodiscard]] static ColumnRef make(Parts parts);

  ColumnType type_;
  std::size_t size_;
  Buffer values_;
  Array<std::uint8_t> validity_;
  DictionaryRef dictionary_;  // set for strings only
};

}  // namespace millrace::rows
