#include "expr/machine/column_writer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "expr/kernels/byte_loops.h"
#include "expr/machine/machine.h"
#include "rows/column.h"
#include "rows/dictionary.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"

namespace millrace::expr {

namespace {

using rows::ColumnType;

template <class T>
void scatter(const void* source, const RowWindow& window, void* out) {
  const auto* from = static_cast<const T*>(source);
  auto* to = static_cast<T*>(out);
  for (std::size_t i = 0; i < window.count; ++i) to[window.index[i]] = from[i];
}

template <class T>
rows::Array<T> as_array(rows::Array<std::byte> bytes, std::size_t count) {
  return rows::Array<T>(std::move(bytes).into_buffer(), count);
}

}  // namespace

ColumnWriter::ColumnWriter(ColumnType type, const rows::RowSet& rows, rows::RowScratch& scratch)
    : rows_(rows),
      scratch_(scratch),
      type_(type),
      width_bytes_(entry_width_bytes(type)),
      batch_rows_(rows.batch()->row_count()),
      entries_(scratch.make_array<std::byte>(batch_rows_ * width_bytes_)) {
  // Any bits are a valid int or float, but not a valid bool or code; and readers may touch every
  // row.
  const bool any_bits_do = type == ColumnType::kInt64 || type == ColumnType::kFloat64;
  if (!any_bits_do && rows.size() < batch_rows_) std::memset(entries_.data(), 0, entries_.size());
}

std::byte* ColumnWriter::target(const RowWindow& window) {
  if (window.index != nullptr) return nullptr;
  return entries_.data() + window.first * width_bytes_;
}

void ColumnWriter::write(const Vector& result, const RowWindow& window) {
  write_entries(result, window);
  const bool has_nulls = result.valid != nullptr || result.error != nullptr;
  if (has_nulls && validity_.empty()) make_validity();
  if (!validity_.empty()) write_validity(result, window);
  written_count_ += window.count;
}

void ColumnWriter::write_entries(const Vector& result, const RowWindow& window) {
  if (window.index == nullptr) {
    std::byte* to = target(window);
    if (result.data != to) std::memcpy(to, result.data, window.count * width_bytes_);
    return;
  }
  switch (width_bytes_) {
    case 1:
      return scatter<std::uint8_t>(result.data, window, entries_.data());
    case 4:
      return scatter<std::uint32_t>(result.data, window, entries_.data());
    default:
      return scatter<std::uint64_t>(result.data, window, entries_.data());
  }
}

// Rows outside the set become null; rows already written are valid, because this is called at the
// first null.
void ColumnWriter::make_validity() {
  if (batch_rows_ == 0) return;
  validity_ = scratch_.make_array<std::uint8_t>(batch_rows_);
  std::memset(validity_.data(), 0, batch_rows_);
  if (rows_.is_dense()) {
    std::memset(validity_.data() + rows_.first_row(), 1, written_count_);
    return;
  }
  for (const rows::RowIndex row : rows_.indices().first(written_count_)) validity_[row] = 1;
}

void ColumnWriter::write_validity(const Vector& result, const RowWindow& window) {
  const auto is_valid = [&result](std::size_t i) {
    const bool valid = result.valid == nullptr || result.valid[i] != 0;
    const bool error = result.error != nullptr && result.error[i] != 0;
    return static_cast<std::uint8_t>(valid && !error);
  };
  if (window.index != nullptr) {
    for (std::size_t i = 0; i < window.count; ++i) validity_[window.index[i]] = is_valid(i);
    return;
  }
  std::uint8_t* to = validity_.data() + window.first;
  if (result.valid == nullptr) {
    std::memset(to, 1, window.count);
  } else {
    std::memcpy(to, result.valid, window.count);
  }
  if (result.error != nullptr) and_not_bytes(result.error, to, window.count);
}

void ColumnWriter::fill(const void* entry, bool valid) {
  const auto fill_with = [&](auto value) {
    std::memcpy(&value, entry, sizeof(value));
    std::fill_n(reinterpret_cast<decltype(value)*>(entries_.data()), batch_rows_, value);
  };
  switch (width_bytes_) {
    case 1:
      fill_with(std::uint8_t{});
      break;
    case 4:
      fill_with(std::uint32_t{});
      break;
    default:
      fill_with(std::uint64_t{});
      break;
  }
  if (!valid) make_validity();
}

rows::ColumnRef ColumnWriter::finish(rows::DictionaryRef dictionary) {
  switch (type_) {
    case ColumnType::kInt64:
      return rows::Column::make_int64(as_array<std::int64_t>(std::move(entries_), batch_rows_),
                                      std::move(validity_));
    case ColumnType::kFloat64:
      return rows::Column::make_float64(as_array<double>(std::move(entries_), batch_rows_),
                                        std::move(validity_));
    case ColumnType::kBool:
      return rows::Column::make_bool(as_array<std::uint8_t>(std::move(entries_), batch_rows_),
                                     std::move(validity_));
    case ColumnType::kString:
      break;
  }
  return rows::Column::make_string(as_array<std::int32_t>(std::move(entries_), batch_rows_),
                                   std::move(dictionary),
                                   std::move(validity_));
}

}  // namespace millrace::expr
