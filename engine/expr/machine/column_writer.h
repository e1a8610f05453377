#pragma once

#include <cstddef>
#include <cstdint>

#include "expr/machine/machine.h"
#include "rows/column.h"
#include "rows/dictionary.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"

namespace millrace::expr {

/// Builds a column of a batch from the results of chunks. Entries of batch rows that no chunk wrote
/// are meaningless. Validity bytes are allocated only when the first null is written.
/// Threading: not shared. Lifetime: borrows rows and scratch.
class ColumnWriter {
 public:
  ColumnWriter(rows::ColumnType type, const rows::RowSet& rows, rows::RowScratch& scratch);

  /// Where the entries of a chunk of consecutive rows belong; nullptr if the rows are indexed.
  [[nodiscard]] std::byte* target(const RowWindow& window);
  /// Copies the result of the chunk that follows those written so far. Entries with an error become
  /// null.
  void write(const Vector& result, const RowWindow& window);
  /// Sets every row of the set to one value, or to null if it is not `valid`; `entry` is laid out
  /// as in the column.
  void fill(const void* entry, bool valid);
  /// Gives the column; a string column needs its dictionary.
  [[nodiscard]] rows::ColumnRef finish(rows::DictionaryRef dictionary);

 private:
  void write_entries(const Vector& result, const RowWindow& window);
  void make_validity();
  void write_validity(const Vector& result, const RowWindow& window);

  const rows::RowSet& rows_;
  rows::RowScratch& scratch_;
  rows::ColumnType type_;
  std::size_t width_bytes_;
  std::size_t batch_rows_;
  rows::Array<std::byte> entries_;
  rows::Array<std::uint8_t> validity_;
  std::size_t written_count_ = 0;
};

}  // namespace millrace::expr
