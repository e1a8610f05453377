#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rows/row_set.h"
#include "rows/value.h"

// How many rows the scheduler takes the rows of a node for. It knows the cost of a node per row,
// measured with rows whose texts are usually short. One row with a text of a megabyte can cost as
// much as thousands of others; if it counted as one row, its node could run on an event loop and
// keep it from everybody's deadlines.

namespace millrace::rank {

/// That many bytes of text count as one row more.
inline constexpr std::size_t kTextBytesPerRow = 256;

/// Bytes of all distinct texts that the columns of a set can have.
[[nodiscard]] std::size_t text_bytes_of(const rows::RowSet& rows);
/// Bytes of the texts of one row, if each text were as long as those of its column are on average.
[[nodiscard]] std::size_t mean_text_bytes(const rows::RowSet& rows);
/// Bytes of the texts among values.
[[nodiscard]] std::size_t text_bytes_of(std::span<const rows::Value> values);
/// Rows and texts together as a number of rows.
[[nodiscard]] std::uint32_t weight(std::size_t row_count, std::size_t text_bytes);

}  // namespace millrace::rank
