#include "rows/sort.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/sort_key.h"

namespace millrace::rows {

namespace {

struct Entry {
  std::uint64_t key;
  std::uint32_t position;  // in the input; the last tie-break
  RowIndex row;
};

bool precedes(const Entry& left, const Entry& right) {
  if (left.key != right.key) return left.key < right.key;
  return left.position < right.position;
}

// Below this a comparison sort is faster than eight histograms (measured).
constexpr std::size_t kRadixCountMin = 256;
constexpr std::size_t kDigitCount = 8;
constexpr std::size_t kBucketCount = 256;

std::size_t digit_of(std::uint64_t key, std::size_t digit) { return (key >> (8 * digit)) & 0xFFU; }

// Sorts by key, least significant byte first, skipping bytes that all keys share. Stable, so equal
// keys stay in order of position when they came so.
void radix_sort(std::span<Entry> entries, std::span<Entry> spare) {
  std::array<std::array<std::uint32_t, kBucketCount>, kDigitCount> counts{};
  for (const Entry& entry : entries) {
    for (std::size_t digit = 0; digit < kDigitCount; ++digit) {
      ++counts[digit][digit_of(entry.key, digit)];
    }
  }
  Entry* from = entries.data();
  Entry* to = spare.data();
  for (std::size_t digit = 0; digit < kDigitCount; ++digit) {
    std::array<std::uint32_t, kBucketCount>& bucket = counts[digit];
    if (bucket[digit_of(from[0].key, digit)] == entries.size()) continue;
    std::uint32_t begin = 0;
    for (std::uint32_t& count : bucket) begin += std::exchange(count, begin);
    for (std::size_t i = 0; i < entries.size(); ++i)
      to[bucket[digit_of(from[i].key, digit)]++] = from[i];
    std::swap(from, to);
  }
  if (from != entries.data()) std::copy_n(from, entries.size(), entries.data());
}

// Sorts one run level by level: by the first key, then each run of equal keys by the next, the last
// level being the id.
class Sorter {
 public:
  Sorter(std::span<const SortColumn> keys,
         std::span<const std::int64_t> ids,
         std::span<Entry> spare)
      : keys_(keys), ids_(ids), spare_(spare) {}

  // Entries come in order of position.
  void order(std::span<Entry> run, std::size_t level) {
    if (level == keys_.size()) {
      for (Entry& entry : run) entry.key = ordered_bits(ids_[entry.row]);
      order_by_key(run);
      return;
    }
    const std::size_t present = load_level(run, keys_[level]);
    const std::span<Entry> nulls = run.subspan(present);
    run = run.first(present);
    order_by_key(run);
    for (std::size_t begin = 0; begin < run.size();) {
      std::size_t end = begin + 1;
      while (end < run.size() && run[end].key == run[begin].key) ++end;
      if (end - begin > 1) order(run.subspan(begin, end - begin), level + 1);
      begin = end;
    }
    if (nulls.size() > 1) order(nulls, level + 1);
  }

 private:
  // Sets the keys and moves entries without one to the end, both parts staying in order; returns
  // how many have one.
  std::size_t load_level(std::span<Entry> run, const SortColumn& key) {
    std::size_t present = 0;
    std::size_t absent = 0;
    const std::uint64_t flip = key.direction == Direction::kDescending ? ~std::uint64_t{0} : 0;
    with_key_loader(key, [&](auto load) {
      for (const Entry& entry : run) {
        const auto value = load(entry.row);
        if (key.column->is_null(entry.row) || orders_as_null(value)) {
          spare_[absent++] = entry;
        } else {
          run[present++] = {ordered_bits(value) ^ flip, entry.position, entry.row};
        }
      }
    });
    std::copy_n(spare_.data(), absent, run.data() + present);
    return present;
  }

  void order_by_key(std::span<Entry> run) {
    if (run.size() < kRadixCountMin) {
      std::sort(run.begin(), run.end(), precedes);
    } else {
      radix_sort(run, spare_);
    }
  }

  std::span<const SortColumn> keys_;
  std::span<const std::int64_t> ids_;
  std::span<Entry> spare_;
};

}  // namespace

base::Result<RowSet> sort(const RowSet& rows, std::span<const SortKey> keys, RowScratch& scratch) {
  MR_TRY(const std::vector<SortColumn> columns,
         find_sort_columns(*rows.batch(), keys, "sort.keys"));
  const std::size_t count = rows.size();
  Array<Entry> entries = scratch.make_array<Entry>(count);
  Array<Entry> spare = scratch.make_array<Entry>(count);
  for (std::size_t i = 0; i < count; ++i) {
    entries[i] = {0, static_cast<std::uint32_t>(i), rows.row_at(i)};
  }
  Sorter(columns, rows.batch()->ids(), spare.span()).order(entries.span(), 0);
  Array<RowIndex> index = scratch.make_array<RowIndex>(count);
  for (std::size_t i = 0; i < count; ++i) index[i] = entries[i].row;
  return RowSet(rows.batch(), std::move(index));
}

}  // namespace millrace::rows
