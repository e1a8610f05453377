#include "rows/sort.h"

#include <algorithm>
#include <array>
#include <bit>
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

bool entry_precedes(const Entry& left, const Entry& right) {
  if (left.key != right.key) return left.key < right.key;
  return left.position < right.position;
}

// Below this a comparison sort is faster (measured).
constexpr std::size_t kRadixCountMin = 64;
constexpr unsigned kDigitBits = 8;
constexpr unsigned kDigitCountMax = 3;
constexpr unsigned kSortedBits = kDigitBits * kDigitCountMax;
constexpr std::size_t kBucketCount = std::size_t{1} << kDigitBits;

using Buckets = std::array<std::uint32_t, kBucketCount>;

// One stable pass over one digit, from `from` to `to`.
void scatter(std::span<const Entry> from, Entry* to, Buckets& counts, unsigned shift) {
  std::uint32_t begin = 0;
  for (std::uint32_t& count : counts) begin += std::exchange(count, begin);
  for (const Entry& entry : from) {
    to[counts[(entry.key >> shift) % kBucketCount]++] = entry;
  }
}

// Sorts by key; entries of equal keys stay in order, and come in order of position. The 24 bits
// below the highest one that differs are sorted by digit, the lowest first; that settles almost
// all, and runs that are still equal are sorted by what is left.
void sort_by_key(std::span<Entry> entries, std::span<Entry> spare) {
  if (entries.size() < kRadixCountMin) {
    std::sort(entries.begin(), entries.end(), entry_precedes);
    return;
  }
  std::uint64_t differing = 0;
  for (const Entry& entry : entries) differing |= entry.key ^ entries.front().key;
  const auto used_bits = static_cast<unsigned>(std::bit_width(differing));
  if (used_bits == 0) return;
  const unsigned shift = used_bits > kSortedBits ? used_bits - kSortedBits : 0;
  const unsigned digit_count = (used_bits - shift + kDigitBits - 1) / kDigitBits;

  std::array<Buckets, kDigitCountMax> counts{};
  for (const Entry& entry : entries) {
    for (unsigned digit = 0; digit < digit_count; ++digit) {
      ++counts[digit][(entry.key >> (shift + kDigitBits * digit)) % kBucketCount];
    }
  }
  std::span<Entry> from = entries;
  std::span<Entry> to = spare.first(entries.size());
  for (unsigned digit = 0; digit < digit_count; ++digit) {
    scatter(from, to.data(), counts[digit], shift + kDigitBits * digit);
    std::swap(from, to);
  }
  if (from.data() != entries.data()) std::copy(from.begin(), from.end(), entries.begin());
  if (shift == 0) return;
  for (std::size_t begin = 0; begin < entries.size();) {
    std::size_t end = begin + 1;
    while (end < entries.size() && entries[end].key >> shift == entries[begin].key >> shift) ++end;
    if (end - begin > 1) sort_by_key(entries.subspan(begin, end - begin), spare);
    begin = end;
  }
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
      sort_by_key(run, spare_);
      return;
    }
    const std::size_t present = load_level(run, keys_[level]);
    const std::span<Entry> nulls = run.subspan(present);
    run = run.first(present);
    sort_by_key(run, spare_);
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
