#include "rank/row_weight.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <variant>

#include "rows/batch.h"
#include "rows/column.h"
#include "rows/dictionary.h"
#include "rows/row_set.h"
#include "rows/value.h"

namespace millrace::rank {

namespace {

/// The texts of a dictionary lie one behind the other, so their ends tell their size.
std::size_t dictionary_bytes(const rows::Dictionary& texts) {
  if (texts.size() == 0) return 0;
  const std::string_view last = texts.at(texts.size() - 1);
  return static_cast<std::size_t>(last.data() + last.size() - texts.at(0).data());
}

}  // namespace

std::size_t text_bytes_of(const rows::RowSet& rows) {
  std::size_t bytes = 0;
  for (const rows::NamedColumn& named : rows.batch()->columns()) {
    if (named.column->type() == rows::ColumnType::kString)
      bytes += dictionary_bytes(*named.column->dictionary());
  }
  return bytes;
}

std::size_t mean_text_bytes(const rows::RowSet& rows) {
  std::size_t bytes = 0;
  for (const rows::NamedColumn& named : rows.batch()->columns()) {
    if (named.column->type() != rows::ColumnType::kString) continue;
    const rows::Dictionary& texts = *named.column->dictionary();
    bytes += dictionary_bytes(texts) / static_cast<std::size_t>(std::max(texts.size(), 1));
  }
  return bytes;
}

std::size_t text_bytes_of(std::span<const rows::Value> values) {
  std::size_t bytes = 0;
  for (const rows::Value& value : values) {
    if (const auto* const text = std::get_if<std::string_view>(&value)) bytes += text->size();
  }
  return bytes;
}

std::uint32_t weight(std::size_t row_count, std::size_t text_bytes) {
  const std::size_t all = row_count + text_bytes / kTextBytesPerRow;
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(all, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace millrace::rank
