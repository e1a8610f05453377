// Represents each row as one number: the distance of its first key from the least one, shifted left
// as far as all such distances allow, with the row's position in the lowest bits. So a comparison
// is one instruction, and only numbers move. The numbers are first distributed into buckets by
// their highest bits, which leaves short runs to sort and few branches to mispredict. The position
// overwrites low bits of the key, so rows may look tied; ties are put in order afterwards by
// comparing the rows. A tie at the cut would also need rows beyond the cut, so in that case the
// function gives up and its caller uses another way.
#include "rows/packed_top_k.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "base/result.h"
#include "rows/quick_order.h"
#include "rows/row_order.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/sort_key.h"
#include "rows/stop_check.h"

namespace millrace::rows {

namespace {

constexpr unsigned kBucketBits = 8;
// With fewer rows, sorting bucket by bucket costs more than it saves.
constexpr std::size_t kBucketRowsMin = 48;
// Buckets with more rows than this are not sorted by insertion.
constexpr std::size_t kBucketRowsMax = 16;

// Writes the first key of every row as a number of the same order. Returns false if a row has none.
bool load_keys(const RowSet& rows, const SortColumn& key, std::uint64_t* out) {
  if (key.column->has_nulls()) return false;
  const std::uint64_t flip = key.direction == Direction::kDescending ? ~std::uint64_t{0} : 0;
  unsigned missing = 0;
  with_key_loader(key, [&](auto load) {
    const auto load_rows = [=, count = rows.size()](auto row_of) {
      // A local variable and no branch, so that the loop vectorises.
      unsigned missing_here = 0;
      for (std::size_t position = 0; position < count; ++position) {
        const auto value = load(row_of(position));
        missing_here |= orders_as_null(value) ? 1 : 0;
        out[position] = ordered_bits(value) ^ flip;
      }
      return missing_here;
    };
    if (rows.is_dense()) {
      missing = load_rows([first = rows.first_row()](std::size_t position) {
        return first + static_cast<RowIndex>(position);
      });
    } else {
      missing = load_rows(
          [index = rows.indices().data()](std::size_t position) { return index[position]; });
    }
  });
  return missing == 0;
}

// Turns keys into packed numbers, in place.
void pack(std::span<std::uint64_t> keys, std::uint64_t position_mask) {
  std::uint64_t least = keys.front();
  std::uint64_t most = least;
#pragma clang loop unroll_count(4)
  for (const std::uint64_t key : keys) {
    least = std::min(least, key);
    most = std::max(most, key);
  }
  // If all keys are equal, the rows are ties, however many bits of the key remain.
  const int unused_bits = most == least ? 0 : std::countl_zero(most - least);
  for (std::size_t position = 0; position < keys.size(); ++position)
    keys[position] = (((keys[position] - least) << unused_bits) & ~position_mask) | position;
}

// The result of distribute(): `size` numbers, all from the first buckets.
struct Distributed {
  std::size_t size = 0;
  std::size_t largest_bucket = 0;
};

// Copies the numbers bucket by bucket, up to and including the bucket that holds the last wanted
// number.
Distributed distribute(std::span<const std::uint64_t> from, std::size_t wanted, std::uint64_t* to) {
  constexpr unsigned kShift = 64 - kBucketBits;
  std::array<std::uint32_t, std::size_t{1} << kBucketBits> places{};
  for (const std::uint64_t number : from) ++places[number >> kShift];
  Distributed made;
  auto bucket = places.begin();
  while (made.size < wanted) {
    const std::size_t count = std::exchange(*bucket++, static_cast<std::uint32_t>(made.size));
    made.size += count;
    made.largest_bucket = std::max(made.largest_bucket, count);
  }
  // The numbers of later buckets are not needed: they all start at the same place and may overwrite
  // each other.
  std::fill(bucket, places.end(), static_cast<std::uint32_t>(made.size));
  for (const std::uint64_t number : from) to[places[number >> kShift]++] = number;
  return made;
}

// Sorts distributed numbers. Returns false if the work was stopped.
bool sort_buckets(std::uint64_t* begin, std::uint64_t* end, StopPacer& pacer) {
  constexpr unsigned kShift = 64 - kBucketBits;
  while (begin != end) {
    std::uint64_t* const next = std::find_if(begin, end, [bucket = *begin >> kShift](auto number) {
      return number >> kShift != bucket;
    });
    if (!quick_sort(begin, next, std::less(), pacer)) return false;
    begin = next;
  }
  return true;
}

// Sorts the `wanted` least numbers to the front. If a next number could tie with the last of them,
// it is placed right behind them. Returns false if the work was stopped.
bool order_first(std::span<std::uint64_t> numbers,
                 std::size_t wanted,
                 std::size_t largest_bucket,
                 StopPacer& pacer) {
  std::uint64_t* const begin = numbers.data();
  std::uint64_t* const end = begin + numbers.size();
  std::uint64_t* const cut = begin + wanted;
  if (largest_bucket <= kBucketRowsMax) {
    internal::insertion_sort(begin, end, std::less());
    return true;
  }
  if (cut == end && numbers.size() >= kBucketRowsMin) return sort_buckets(begin, end, pacer);
  if (cut != end && !quick_select(begin, cut, end, std::less(), pacer)) return false;
  return quick_sort(begin, cut, std::less(), pacer);
}

// Finds runs of numbers that differ in the position only, and orders each run by comparing its
// rows.
void settle_ties(std::span<std::uint64_t> packed,
                 const RowSet& rows,
                 std::span<const SortColumn> keys,
                 std::uint64_t position_mask) {
  unsigned tied = 0;
  for (std::size_t i = 1; i < packed.size(); ++i)
    tied |= (packed[i] ^ packed[i - 1]) <= position_mask ? 1 : 0;
  if (tied == 0) [[likely]]
    return;
  const auto place = [&](std::uint64_t number) {
    const auto position = static_cast<std::uint32_t>(number & position_mask);
    return PlacedRow{rows.row_at(position), position};
  };
  for (std::size_t begin = 0; begin < packed.size();) {
    std::size_t end = begin + 1;
    while (end < packed.size() && (packed[end] ^ packed[begin]) <= position_mask) ++end;
    if (end - begin > 1) {
      std::sort(
          packed.data() + begin, packed.data() + end, [&](std::uint64_t left, std::uint64_t right) {
            return comes_before(keys, rows.batch()->ids(), place(left), place(right));
          });
    }
    begin = end;
  }
}

}  // namespace

base::Result<Array<RowIndex>> top_k_packed(const RowSet& rows,
                                           std::span<const SortColumn> keys,
                                           std::size_t wanted,
                                           RowScratch& scratch) {
  MR_TRY_STATUS(scratch.stop().check());
  const std::uint64_t position_mask = std::bit_ceil(rows.size()) - 1;
  Array<std::uint64_t> packed = scratch.make_array<std::uint64_t>(rows.size());
  if (!load_keys(rows, keys.front(), packed.data())) return Array<RowIndex>();
  pack(packed.span(), position_mask);
  Distributed made{.size = rows.size(), .largest_bucket = rows.size()};
  if (rows.size() >= kBucketRowsMin) {
    Array<std::uint64_t> distributed = scratch.make_array<std::uint64_t>(rows.size());
    made = distribute(packed.span(), wanted, distributed.data());
    packed = std::move(distributed);
  }
  const std::span<std::uint64_t> first = packed.span().first(made.size);
  StopPacer pacer(scratch.stop());
  if (!order_first(first, wanted, made.largest_bucket, pacer)) return scratch.stop().stopped();
  if (wanted < first.size() && first[wanted] <= (first[wanted - 1] | position_mask))
    return Array<RowIndex>();
  settle_ties(first.first(wanted), rows, keys, position_mask);
  Array<RowIndex> index = scratch.make_array<RowIndex>(wanted);
  for (std::size_t i = 0; i < wanted; ++i) index[i] = rows.row_at(first[i] & position_mask);
  return index;
}

}  // namespace millrace::rows
