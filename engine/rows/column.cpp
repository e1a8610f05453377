#include "rows/column.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/pooled_allocator.h"
#include "rows/dictionary.h"
#include "rows/row_scratch.h"
#include "rows/value.h"

namespace millrace::rows {

struct Column::Parts {
  ColumnType type;
  std::size_t size;
  Buffer values;
  Array<std::uint8_t> validity;
  DictionaryRef dictionary;
};

namespace {

// Checks one block of rows at a time. Within a block there is no branch per row, so that the loop
// vectorises; the function returns at the first block with a null.
bool all_valid(std::span<const std::uint8_t> validity) {
  constexpr std::size_t kBlock = 1024;
  for (std::size_t begin = 0; begin < validity.size(); begin += kBlock) {
    std::uint8_t all = 1;
    for (const std::uint8_t byte :
         validity.subspan(begin, std::min(kBlock, validity.size() - begin))) {
      all &= byte;
    }
    if (all == 0) return false;
  }
  return true;
}

}  // namespace

std::string_view to_string(ColumnType type) {
  switch (type) {
    case ColumnType::kInt64:
      return "int";
    case ColumnType::kFloat64:
      return "float";
    case ColumnType::kBool:
      return "bool";
    case ColumnType::kString:
      return "string";
  }
  return "?";
}

Column::Column(Parts&& parts)
    : type_(parts.type),
      size_(parts.size),
      values_(std::move(parts.values)),
      validity_(std::move(parts.validity)),
      dictionary_(std::move(parts.dictionary)) {
  MR_CHECK(validity_.empty() || validity_.size() == size_, validity_.size(), size_);
  if (all_valid(validity_.span())) validity_ = {};
}

ColumnRef Column::make(Parts parts) {
  return std::allocate_shared<Column>(base::PooledAllocator<Column>(), std::move(parts));
}

ColumnRef Column::make_int64(Array<std::int64_t> values, Array<std::uint8_t> validity) {
  const std::size_t size = values.size();
  return make({.type = ColumnType::kInt64,
               .size = size,
               .values = std::move(values).into_buffer(),
               .validity = std::move(validity),
               .dictionary = nullptr});
}

ColumnRef Column::make_float64(Array<double> values, Array<std::uint8_t> validity) {
  const std::size_t size = values.size();
  return make({.type = ColumnType::kFloat64,
               .size = size,
               .values = std::move(values).into_buffer(),
               .validity = std::move(validity),
               .dictionary = nullptr});
}

ColumnRef Column::make_bool(Array<std::uint8_t> values, Array<std::uint8_t> validity) {
  const std::size_t size = values.size();
  return make({.type = ColumnType::kBool,
               .size = size,
               .values = std::move(values).into_buffer(),
               .validity = std::move(validity),
               .dictionary = nullptr});
}

ColumnRef Column::make_string(Array<std::int32_t> codes,
                              DictionaryRef dictionary,
                              Array<std::uint8_t> validity) {
  MR_CHECK(dictionary != nullptr);
  const std::size_t size = codes.size();
  return make({.type = ColumnType::kString,
               .size = size,
               .values = std::move(codes).into_buffer(),
               .validity = std::move(validity),
               .dictionary = std::move(dictionary)});
}

std::span<const std::int64_t> Column::int64s() const {
  MR_CHECK(type_ == ColumnType::kInt64, to_string(type_));
  return {reinterpret_cast<const std::int64_t*>(values_.data()), size_};
}

std::span<const double> Column::float64s() const {
  MR_CHECK(type_ == ColumnType::kFloat64, to_string(type_));
  return {reinterpret_cast<const double*>(values_.data()), size_};
}

std::span<const std::uint8_t> Column::bools() const {
  MR_CHECK(type_ == ColumnType::kBool, to_string(type_));
  return {reinterpret_cast<const std::uint8_t*>(values_.data()), size_};
}

std::span<const std::int32_t> Column::codes() const {
  MR_CHECK(type_ == ColumnType::kString, to_string(type_));
  return {reinterpret_cast<const std::int32_t*>(values_.data()), size_};
}

const DictionaryRef& Column::dictionary() const {
  MR_CHECK(type_ == ColumnType::kString, to_string(type_));
  return dictionary_;
}

Value Column::value_at(std::size_t row) const {
  MR_CHECK(row < size_, row, size_);
  if (is_null(row)) return std::monostate{};
  switch (type_) {
    case ColumnType::kInt64:
      return int64s()[row];
    case ColumnType::kFloat64:
      return float64s()[row];
    case ColumnType::kBool:
      return bools()[row] != 0;
    case ColumnType::kString:
      return dictionary_->at(codes()[row]);
  }
  return std::monostate{};
}

}  // namespace millrace::rows
