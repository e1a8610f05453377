// Keys of several columns are numbered one column at a time: the number of the key so far and the
// bits of the next value are looked up as a pair in a hash table, which gives the next number. So a
// key is always two words, and no row is ever compared with another.
#include "rows/key_groups.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "rows/column.h"
#include "rows/dictionary.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/stop_check.h"

namespace millrace::rows {

using base::ErrorCode;
using base::fail;
using base::Result;

namespace {

std::uint64_t key_bits(double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<std::uint64_t>(value + 0.0);  // -0.0 + 0.0 is +0.0
}
std::uint64_t key_bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }
std::uint64_t key_bits(std::uint8_t value) { return value; }
std::uint64_t key_bits(std::int32_t value) { return static_cast<std::uint32_t>(value); }

// The values of one key column as numbers, one per row of a set.
struct KeyColumn {
  Array<std::uint64_t> bits;
  Array<std::uint8_t> present;  // empty: all rows have a key
};

template <class T>
base::Status load_bits(std::span<const T> values,
                       const RowSet& rows,
                       std::span<std::uint64_t> bits,
                       const StopCheck& stop) {
  return in_parts(bits.size(), stop, [&](std::size_t begin, std::size_t end) {
    if (rows.is_dense()) {
      const T* first = values.data() + rows.first_row();
      for (std::size_t i = begin; i < end; ++i) bits[i] = key_bits(first[i]);
    } else {
      const std::span<const RowIndex> index = rows.indices();
      for (std::size_t i = begin; i < end; ++i) bits[i] = key_bits(values[index[i]]);
    }
  });
}

base::Status load_values(const Column& column,
                         const RowSet& rows,
                         std::span<std::uint64_t> bits,
                         const StopCheck& stop) {
  switch (column.type()) {
    case ColumnType::kInt64:
      return load_bits(column.int64s(), rows, bits, stop);
    case ColumnType::kFloat64:
      return load_bits(column.float64s(), rows, bits, stop);
    case ColumnType::kBool:
      return load_bits(column.bools(), rows, bits, stop);
    case ColumnType::kString:
      return load_bits(column.codes(), rows, bits, stop);
  }
  return {};
}

Result<KeyColumn> load_column(const Column& column, const RowSet& rows, RowScratch& scratch) {
  KeyColumn key{.bits = scratch.make_array<std::uint64_t>(rows.size()), .present = {}};
  MR_TRY_STATUS(load_values(column, rows, key.bits.span(), scratch.stop()));
  if (!column.has_nulls()) return key;
  key.present = scratch.make_array<std::uint8_t>(rows.size());
  MR_TRY_STATUS(in_parts(rows.size(), scratch.stop(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      key.present[i] = column.validity()[rows.row_at(i)];
      // The value stored for a null is unspecified, so set it to 0: all nulls must be equal.
      if (key.present[i] == 0) key.bits[i] = 0;
    }
  }));
  return key;
}

// Replaces codes of one dictionary by the codes that `other` has for the same values; values it
// lacks become absent.
base::Status translate(KeyColumn& key,
                       const Dictionary& dictionary,
                       const Dictionary& other,
                       RowScratch& scratch) {
  const std::size_t row_count = key.bits.size();
  const auto value_count = static_cast<std::size_t>(dictionary.size());
  const auto code_in_other = [&](std::uint64_t code) {
    return other.find_code(dictionary.at(static_cast<std::int32_t>(code))).value_or(-1);
  };
  Array<std::int32_t> table;
  if (value_count <= kTableValuesPerRowMax * row_count) {
    table = scratch.make_array<std::int32_t>(value_count);
    MR_TRY_STATUS(in_parts(value_count, scratch.stop(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t code = begin; code < end; ++code) table[code] = code_in_other(code);
    }));
  }
  if (key.present.empty()) {
    key.present = scratch.make_array<std::uint8_t>(row_count);
    MR_TRY_STATUS(fill_in_parts(key.present.span(), std::uint8_t{1}, scratch.stop()));
  }
  return in_parts(row_count, scratch.stop(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (key.present[i] == 0) continue;
      const std::int32_t code = table.empty() ? code_in_other(key.bits[i]) : table[key.bits[i]];
      if (code < 0) key.present[i] = 0;
      key.bits[i] = static_cast<std::uint32_t>(code);
    }
  });
}

struct PairSlot {
  std::uint64_t bits;
  std::uint32_t prefix;
  std::uint32_t id;
};

Result<Array<PairSlot>> make_slots(std::size_t pair_count_max, RowScratch& scratch) {
  Array<PairSlot> slots = scratch.make_array<PairSlot>(std::bit_ceil(2 * pair_count_max + 2));
  MR_TRY_STATUS(fill_in_parts(slots.span(), PairSlot{0, 0, kNoGroup}, scratch.stop()));
  return slots;
}

// Numbers pairs of (number so far, bits) in order of insertion. Open addressing, linear probing, at
// most half full. Small enough for a loop to keep a copy in registers. Lifetime: borrows the slots.
class PairTable {
 public:
  explicit PairTable(std::span<PairSlot> slots)
      : slots_(slots), shift_(64U - static_cast<unsigned>(std::countr_zero(slots.size()))) {}

  [[nodiscard]] std::uint32_t insert(std::uint32_t prefix, std::uint64_t bits) {
    PairSlot& slot = slots_[find_slot(prefix, bits)];
    if (slot.id == kNoGroup) slot = {bits, prefix, count_++};
    return slot.id;
  }
  [[nodiscard]] std::uint32_t find(std::uint32_t prefix, std::uint64_t bits) const {
    return slots_[find_slot(prefix, bits)].id;
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  [[nodiscard]] std::size_t find_slot(std::uint32_t prefix, std::uint64_t bits) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash(prefix, bits) >> shift_;
    while (slots_[slot].id != kNoGroup) {
      if (slots_[slot].bits == bits && slots_[slot].prefix == prefix) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }
  // Two multiplications spread every input bit into the upper ones, which choose the slot.
  static std::uint64_t hash(std::uint32_t prefix, std::uint64_t bits) {
    const std::uint64_t mixed = (bits ^ (std::uint64_t{prefix} << 32U)) * 0x9E3779B97F4A7C15U;
    return (mixed ^ (mixed >> 32U)) * 0xD6E8FEB86659FD93U;
  }

  std::span<PairSlot> slots_;
  unsigned shift_;
  std::uint32_t count_ = 0;
};

// Extends the numbers in `ids` by one more column. Nulls are a value of their own.
Result<std::uint32_t> extend(std::span<std::uint32_t> ids,
                             const KeyColumn& key,
                             RowScratch& scratch) {
  MR_TRY(Array<PairSlot> slots, make_slots(ids.size(), scratch));
  PairTable table(slots.span());
  MR_TRY_STATUS(in_parts(ids.size(), scratch.stop(), [&](std::size_t begin, std::size_t end) {
    PairTable part = table;
    for (std::size_t i = begin; i < end; ++i) {
      // Numbers stay below 2^31 (kBatchRowsMax), so the lowest bit is free to mark nulls.
      const std::uint32_t absent = key.present.empty() || key.present[i] != 0 ? 0 : 1;
      ids[i] = part.insert(2 * ids[i] + absent, key.bits[i]);
    }
    table = part;
  }));
  return table.count();
}

// The same for a join: numbers the keys of the right side and finds them on the left.
Result<std::uint32_t> extend_both(std::span<std::uint32_t> right_ids,
                                  const KeyColumn& right,
                                  std::span<std::uint32_t> left_ids,
                                  const KeyColumn& left,
                                  RowScratch& scratch) {
  MR_TRY(Array<PairSlot> slots, make_slots(right_ids.size(), scratch));
  PairTable table(slots.span());
  const StopCheck& stop = scratch.stop();
  MR_TRY_STATUS(in_parts(right_ids.size(), stop, [&](std::size_t begin, std::size_t end) {
    PairTable part = table;
    for (std::size_t i = begin; i < end; ++i) {
      const bool absent = !right.present.empty() && right.present[i] == 0;
      if (absent || right_ids[i] == kNoGroup) {
        right_ids[i] = kNoGroup;
      } else {
        right_ids[i] = part.insert(right_ids[i], right.bits[i]);
      }
    }
    table = part;
  }));
  MR_TRY_STATUS(in_parts(left_ids.size(), stop, [&](std::size_t begin, std::size_t end) {
    const PairTable part = table;
    for (std::size_t i = begin; i < end; ++i) {
      const bool absent = !left.present.empty() && left.present[i] == 0;
      if (absent || left_ids[i] == kNoGroup) {
        left_ids[i] = kNoGroup;
      } else {
        left_ids[i] = part.find(left_ids[i], left.bits[i]);
      }
    }
  }));
  return table.count();
}

Result<Array<std::uint32_t>> zero_ids(std::size_t count, RowScratch& scratch) {
  Array<std::uint32_t> ids = scratch.make_array<std::uint32_t>(count);
  MR_TRY_STATUS(fill_in_parts(ids.span(), 0U, scratch.stop()));
  return ids;
}

std::string place(std::string_view where, std::size_t key, std::string_view side = "") {
  return std::string(where) + "[" + std::to_string(key) + "]" + std::string(side);
}

}  // namespace

Result<KeyGroups> group_by_keys(const RowSet& rows,
                                std::span<const std::string> keys,
                                std::string_view where,
                                RowScratch& scratch) {
  if (keys.empty()) return fail(ErrorCode::kInvalidArgument, "No key is given", std::string(where));
  KeyGroups groups;
  MR_TRY(groups.ids, zero_ids(rows.size(), scratch));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    MR_TRY(const Column* column, rows.batch()->get_column(keys[i], place(where, i)));
    MR_TRY(const KeyColumn key, load_column(*column, rows, scratch));
    MR_TRY(groups.group_count, extend(groups.ids.span(), key, scratch));
  }
  return groups;
}

Result<MatchedGroups> match_keys(const RowSet& left,
                                 const RowSet& right,
                                 std::span<const JoinKey> keys,
                                 RowScratch& scratch) {
  if (keys.empty()) return fail(ErrorCode::kInvalidArgument, "No key is given", "join.keys");
  MatchedGroups matched;
  MR_TRY(matched.right.ids, zero_ids(right.size(), scratch));
  MR_TRY(matched.left_ids, zero_ids(left.size(), scratch));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    MR_TRY(const Column* left_column,
           left.batch()->get_column(keys[i].left, place("join.keys", i, ".left")));
    MR_TRY(const Column* right_column,
           right.batch()->get_column(keys[i].right, place("join.keys", i, ".right")));
    if (left_column->type() != right_column->type()) {
      return fail(ErrorCode::kInvalidArgument,
                  "Join keys differ in type: " + keys[i].left + " is " +
                      std::string(to_string(left_column->type())) + ", " + keys[i].right + " is " +
                      std::string(to_string(right_column->type())),
                  place("join.keys", i));
    }
    MR_TRY(KeyColumn left_key, load_column(*left_column, left, scratch));
    MR_TRY(const KeyColumn right_key, load_column(*right_column, right, scratch));
    if (left_column->type() == ColumnType::kString &&
        left_column->dictionary() != right_column->dictionary()) {
      MR_TRY_STATUS(
          translate(left_key, *left_column->dictionary(), *right_column->dictionary(), scratch));
    }
    MR_TRY(matched.right.group_count,
           extend_both(
               matched.right.ids.span(), right_key, matched.left_ids.span(), left_key, scratch));
  }
  return matched;
}

}  // namespace millrace::rows
