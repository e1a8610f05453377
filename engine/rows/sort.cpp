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
#include "rows/packed_top_k.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/sort_key.h"
#include "rows/stop_check.h"

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

// Sorts one run level by level: by the first key, then each run of equal keys by the next key; the
// last level is the id. If the sort is stopped, it leaves the entries in no particular order.
class Sorter {
 public:
  Sorter(std::span<const SortColumn> keys,
         std::span<const std::int64_t> ids,
         std::span<Entry> spare,
         const StopCheck& stop)
      : keys_(keys), ids_(ids), spare_(spare), pacer_(stop) {}

  // Entries come in order of position. Returns false if the work was stopped.
  [[nodiscard]] bool order(std::span<Entry> run, std::size_t level) {
    if (level == keys_.size()) {
      const bool loaded = each_part(run, [this](std::span<Entry> part) {
        for (Entry& entry : part) entry.key = ordered_bits(ids_[entry.row]);
      });
      return loaded && sort_by_key(run);
    }
    const std::size_t present = load_level(run, keys_[level]);
    const std::span<Entry> nulls = run.subspan(present);
    run = run.first(present);
    if (pacer_.has_stopped() || !sort_by_key(run)) return false;
    const bool ordered =
        each_tie(run, 0, [this, level](std::span<Entry> tied) { return order(tied, level + 1); });
    return ordered && (nulls.size() <= 1 || order(nulls, level + 1));
  }

 private:
  // Calls `body` with one part after the other. Returns false if the work was stopped before the
  // last.
  template <class Body>
  [[nodiscard]] bool each_part(std::span<Entry> entries, Body body) {
    while (!entries.empty()) {
      const std::size_t count = std::min(kStopCheckRows, entries.size());
      if (!pacer_.go_on(count)) return false;
      body(entries.first(count));
      entries = entries.subspan(count);
    }
    return true;
  }

  // Calls `settle` with each run of entries whose keys are equal from bit `shift` on; `settle`
  // returns false if the work was stopped.
  template <class Settle>
  [[nodiscard]] bool each_tie(std::span<Entry> entries, unsigned shift, Settle settle) {
    for (std::size_t begin = 0; begin < entries.size();) {
      const std::size_t part_end = begin + std::min(kStopCheckRows, entries.size() - begin);
      if (!pacer_.go_on(part_end - begin)) return false;
      while (begin < part_end) {
        std::size_t end = begin + 1;
        while (end < entries.size() && entries[end].key >> shift == entries[begin].key >> shift)
          ++end;
        if (end - begin > 1 && !settle(entries.subspan(begin, end - begin))) return false;
        begin = end;
      }
    }
    return true;
  }

  // Sets the keys and moves entries without one to the end, both parts staying in order; returns
  // how many have one.
  std::size_t load_level(std::span<Entry> run, const SortColumn& key) {
    std::size_t present = 0;
    std::size_t absent = 0;
    const std::uint64_t flip = key.direction == Direction::kDescending ? ~std::uint64_t{0} : 0;
    with_key_loader(key, [&](auto load) {
      static_cast<void>(each_part(run, [&, flip](std::span<Entry> part) {
        Entry* present_end = run.data() + present;
        Entry* absent_end = spare_.data() + absent;
        for (const Entry& entry : part) {
          const auto value = load(entry.row);
          if (key.column->is_null(entry.row) || orders_as_null(value)) {
            *absent_end++ = entry;
          } else {
            *present_end++ = {ordered_bits(value) ^ flip, entry.position, entry.row};
          }
        }
        present = static_cast<std::size_t>(present_end - run.data());
        absent = static_cast<std::size_t>(absent_end - spare_.data());
      }));
    });
    std::copy_n(spare_.data(), absent, run.data() + present);
    return present;
  }

  // Sorts by key. Entries come in order of position, and those with equal keys stay in it. The 24
  // bits below the highest one that differs are sorted digit by digit, the lowest first. That
  // orders almost all entries; runs that are still equal are sorted by the remaining bits. Returns
  // false if the work was stopped.
  [[nodiscard]] bool sort_by_key(std::span<Entry> entries) {
    if (entries.size() < kRadixCountMin) {
      std::sort(entries.begin(), entries.end(), entry_precedes);
      return pacer_.go_on(entries.size());
    }
    std::uint64_t differing = 0;
    const std::uint64_t first_key = entries.front().key;
    const bool compared = each_part(entries, [&, first_key](std::span<const Entry> part) {
      std::uint64_t part_differing = 0;
      for (const Entry& entry : part) part_differing |= entry.key ^ first_key;
      differing |= part_differing;
    });
    if (!compared) return false;
    const auto used_bits = static_cast<unsigned>(std::bit_width(differing));
    if (used_bits == 0) return true;
    const unsigned shift = used_bits > kSortedBits ? used_bits - kSortedBits : 0;
    if (!sort_by_digits(entries, shift, used_bits)) return false;
    return shift == 0 ||
           each_tie(entries, shift, [this](std::span<Entry> tied) { return sort_by_key(tied); });
  }

  // Sorts by the bits from `shift` to `used_bits`.
  [[nodiscard]] bool sort_by_digits(std::span<Entry> entries, unsigned shift, unsigned used_bits) {
    const unsigned digit_count = (used_bits - shift + kDigitBits - 1) / kDigitBits;
    std::array<Buckets, kDigitCountMax> counts{};
    const bool counted = each_part(entries, [&, digit_count, shift](std::span<const Entry> part) {
      for (const Entry& entry : part) {
        for (unsigned digit = 0; digit < digit_count; ++digit) {
          ++counts[digit][(entry.key >> (shift + kDigitBits * digit)) % kBucketCount];
        }
      }
    });
    if (!counted) return false;
    std::span<Entry> from = entries;
    std::span<Entry> to = spare_.first(entries.size());
    for (unsigned digit = 0; digit < digit_count; ++digit) {
      if (!scatter(from, to.data(), counts[digit], shift + kDigitBits * digit)) return false;
      std::swap(from, to);
    }
    if (from.data() == entries.data()) return true;
    Entry* out = entries.data();
    return each_part(from, [&out](std::span<const Entry> part) {
      out = std::copy(part.begin(), part.end(), out);
    });
  }

  // One stable pass over one digit, from `from` to `to`.
  [[nodiscard]] bool scatter(std::span<Entry> from, Entry* to, Buckets& counts, unsigned shift) {
    std::uint32_t begin = 0;
    for (std::uint32_t& count : counts) begin += std::exchange(count, begin);
    return each_part(from, [&counts, to, shift](std::span<const Entry> part) {
      for (const Entry& entry : part) {
        to[counts[(entry.key >> shift) % kBucketCount]++] = entry;
      }
    });
  }

  std::span<const SortColumn> keys_;
  std::span<const std::int64_t> ids_;
  std::span<Entry> spare_;
  StopPacer pacer_;
};

}  // namespace

base::Result<RowSet> sort(const RowSet& rows, std::span<const SortKey> keys, RowScratch& scratch) {
  MR_TRY(const std::vector<SortColumn> columns,
         find_sort_columns(*rows.batch(), keys, "sort.keys"));
  const std::size_t count = rows.size();
  if (count != 0 && count <= kPackedRowsMax) {
    MR_TRY(Array<RowIndex> index, top_k_packed(rows, columns, count, scratch));
    if (!index.empty()) return RowSet(rows.batch(), std::move(index));
  }
  Array<Entry> entries = scratch.make_array<Entry>(count);
  Array<Entry> spare = scratch.make_array<Entry>(count);
  const auto fill = [out = entries.data(), &rows](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      out[i] = {0, static_cast<std::uint32_t>(i), rows.row_at(i)};
    }
  };
  MR_TRY_STATUS(in_parts(count, scratch.stop(), fill));
  Sorter sorter(columns, rows.batch()->ids(), spare.span(), scratch.stop());
  if (!sorter.order(entries.span(), 0)) return scratch.stop().stopped();
  Array<RowIndex> index = scratch.make_array<RowIndex>(count);
  const auto give = [in = entries.data(), out = index.data()](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = in[i].row;
  };
  MR_TRY_STATUS(in_parts(count, scratch.stop(), give));
  return RowSet(rows.batch(), std::move(index));
}

}  // namespace millrace::rows
