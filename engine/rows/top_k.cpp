// Keeps a buffer of candidates and the worst key that can still win. Rows are scanned in blocks
// against that bound; when the buffer is full, a selection cuts it back to the best k and tightens
// the bound, so that after the first few thousand rows a row costs one load and one comparison.
// Measured against a heap, nth_element over all rows and a full sort: see
// docs/adr/0006-row-layout.md.
#include "rows/top_k.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "rows/packed_top_k.h"
#include "rows/quick_order.h"
#include "rows/row_order.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/select.h"
#include "rows/sort.h"
#include "rows/sort_key.h"
#include "rows/stop_check.h"

namespace millrace::rows {

namespace {

constexpr std::size_t kBlockRows = 32;
// Candidates kept for each row wanted before the buffer is cut back (2 to 8 measured alike).
constexpr std::size_t kBufferFactor = 4;
// Ordering everything is faster when more than one row in this many is wanted.
constexpr std::size_t kSortAllFactor = 4;

struct Candidate {
  std::uint64_t key;  // of the first sort key; smaller wins
  RowIndex row;
  std::uint32_t position;
};

// The whole order: first key, other keys, id, position.
class Precedes {
 public:
  Precedes(std::span<const SortColumn> other_keys, std::span<const std::int64_t> ids)
      : other_keys_(other_keys), ids_(ids) {}

  bool operator()(const Candidate& left, const Candidate& right) const {
    // No branch on the outcome, because it cannot be predicted.
    const bool precedes = left.key < right.key;
    if (left.key == right.key) [[unlikely]]
      return comes_before(other_keys_, ids_, left, right);
    return precedes;
  }

 private:
  std::span<const SortColumn> other_keys_;
  std::span<const std::int64_t> ids_;
};

// The best candidates seen so far. After a cut the first `wanted` are the best, and the last of
// those is the worst of them.
class Buffered {
 public:
  Buffered(Array<Candidate> storage, std::size_t wanted, Precedes precedes, const StopCheck& stop)
      : storage_(std::move(storage)), wanted_(wanted), precedes_(precedes), pacer_(stop) {}

  // Returns false once the work should stop; the candidates are then meaningless.
  [[nodiscard]] bool go_on(std::size_t row_count) { return pacer_.go_on(row_count); }
  [[nodiscard]] bool has_stopped() const { return pacer_.has_stopped(); }

  void add(const Candidate& candidate) {
    if (bounded_ && !precedes_(candidate, storage_[wanted_ - 1])) return;
    storage_[count_++] = candidate;
  }
  // True when the next block might not fit.
  [[nodiscard]] bool is_full() const { return count_ + kBlockRows > storage_.size(); }
  // Keeps the best and returns the row of the worst of them, whose key is the new bound.
  RowIndex cut() {
    Candidate* begin = storage_.data();
    static_cast<void>(
        quick_select(begin, begin + (wanted_ - 1), begin + count_, precedes_, pacer_));
    count_ = wanted_;
    bounded_ = true;
    return begin[wanted_ - 1].row;
  }
  // The best in order.
  [[nodiscard]] std::span<const Candidate> finish() {
    if (count_ > wanted_) cut();
    static_cast<void>(quick_sort(storage_.data(), storage_.data() + count_, precedes_, pacer_));
    return storage_.span().first(count_);
  }

 private:
  Array<Candidate> storage_;
  std::size_t wanted_;
  Precedes precedes_;
  StopPacer pacer_;
  std::size_t count_ = 0;
  bool bounded_ = false;
};

template <class T>
constexpr T worst_key(bool descending) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    return descending ? -kInfinity : kInfinity;
  } else {
    return descending ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  }
}

// A comparison with NaN is false, so NaN is dropped here.
template <bool kDescending, class T>
bool reaches(T value, T bound) {
  return kDescending ? value >= bound : value <= bound;
}

// How rows are read in a scan: `load(row)` gives the key, `row_of(position)` the row,
// `has_key(row)` is false for nulls.
template <class LoadKey, class RowOfPosition, class HasKeyAt>
struct Access {
  using Key = decltype(std::declval<LoadKey>()(RowIndex{}));

  LoadKey load;
  RowOfPosition row_of;
  HasKeyAt has_key;
};

using Hits = std::array<std::uint32_t, kBlockRows>;

// Collects the positions in [begin, end) that reach the bound, without a branch for each.
template <bool kDescending, class Access>
std::size_t collect_many(const Access& rows,
                         typename Access::Key bound,
                         std::size_t begin,
                         std::size_t end,
                         Hits& hits) {
  std::size_t count = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const RowIndex row = rows.row_of(i);
    const unsigned reached = reaches<kDescending>(rows.load(row), bound) ? 1 : 0;
    const unsigned present = rows.has_key(row) ? 1 : 0;
    hits[count] = static_cast<std::uint32_t>(i);
    count += reached & present;
  }
  return count;
}

// The same for scans in which few rows reach the bound, so that a branch is well predicted.
template <bool kDescending, class Access>
std::size_t collect_few(const Access& rows,
                        typename Access::Key bound,
                        std::size_t begin,
                        std::size_t end,
                        Hits& hits) {
  std::size_t count = 0;
#pragma clang loop unroll_count(8)
  for (std::size_t i = begin; i < end; ++i) {
    const RowIndex row = rows.row_of(i);
    if (reaches<kDescending>(rows.load(row), bound)) [[unlikely]] {
      if (rows.has_key(row)) hits[count++] = static_cast<std::uint32_t>(i);
    }
  }
  return count;
}

// The state of a scan: the key that a row must reach, and whether many rows reach it.
template <class Key>
struct ScanState {
  Key bound;
  bool many = true;
};

template <bool kDescending, class Access>
void scan_part(std::size_t part_begin,
               std::size_t part_end,
               const Access& rows,
               ScanState<typename Access::Key>& state,
               Buffered& best) {
  auto [bound, many] = state;
  Hits hits;
  for (std::size_t begin = part_begin; begin < part_end; begin += kBlockRows) {
    const std::size_t end = std::min(begin + kBlockRows, part_end);
    const std::size_t hit_count = many ? collect_many<kDescending>(rows, bound, begin, end, hits)
                                       : collect_few<kDescending>(rows, bound, begin, end, hits);
    many = hit_count > kBlockRows / 8;
    if (hit_count == 0) continue;
    for (std::size_t i = 0; i < hit_count; ++i) {
      const RowIndex row = rows.row_of(hits[i]);
      const std::uint64_t bits = ordered_bits(rows.load(row));
      best.add({.key = kDescending ? ~bits : bits, .row = row, .position = hits[i]});
    }
    if (best.is_full()) bound = rows.load(best.cut());
  }
  state = {bound, many};
}

template <bool kDescending, class Access>
void scan(std::size_t row_count, const Access& rows, Buffered& best) {
  using Key = typename Access::Key;
  ScanState<Key> state{.bound = worst_key<Key>(kDescending)};
  for (std::size_t begin = 0; begin < row_count && best.go_on(kStopCheckRows);
       begin += kStopCheckRows) {
    const std::size_t end = std::min(begin + kStopCheckRows, row_count);
    scan_part<kDescending>(begin, end, rows, state, best);
  }
}

template <class Load, class RowOf>
void scan_rows(
    const SortColumn& key, std::size_t row_count, Load load, RowOf row_of, Buffered& best) {
  const auto scan_with = [&](auto has_key) {
    if (key.direction == Direction::kDescending) {
      scan<true>(row_count, Access{load, row_of, has_key}, best);
    } else {
      scan<false>(row_count, Access{load, row_of, has_key}, best);
    }
  };
  if (key.column->has_nulls()) {
    scan_with(
        [validity = key.column->validity().data()](RowIndex row) { return validity[row] != 0; });
  } else {
    scan_with([](RowIndex) { return true; });
  }
}

void scan_set(const RowSet& rows, const SortColumn& key, Buffered& best) {
  with_key_loader(key, [&](auto load) {
    if (rows.is_dense()) {
      const RowIndex first = rows.first_row();
      scan_rows(
          key,
          rows.size(),
          load,
          [first](std::size_t i) { return first + static_cast<RowIndex>(i); },
          best);
    } else {
      const RowIndex* index = rows.indices().data();
      scan_rows(key, rows.size(), load, [index](std::size_t i) { return index[i]; }, best);
    }
  });
}

bool is_for_packed(std::size_t row_count, std::size_t wanted) {
  return row_count <= kPackedRowsMax && row_count <= kBufferFactor * wanted && wanted < row_count;
}

}  // namespace

base::Result<RowSet> top_k(const RowSet& rows,
                           std::span<const SortKey> keys,
                           std::int64_t count,
                           RowScratch& scratch) {
  if (count < 0) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "Count must not be negative: " + std::to_string(count),
                      "top_k.count");
  }
  MR_TRY(const std::vector<SortColumn> columns,
         find_sort_columns(*rows.batch(), keys, "top_k.keys"));
  if (count == 0) return rows.window(0, 0);
  const std::size_t wanted = std::min(static_cast<std::size_t>(count), rows.size());
  if (is_for_packed(rows.size(), wanted)) {
    MR_TRY(Array<RowIndex> index, top_k_packed(rows, columns, wanted, scratch));
    if (!index.empty()) return RowSet(rows.batch(), std::move(index));
  }
  if (wanted > rows.size() / kSortAllFactor) {
    MR_TRY(const RowSet ordered, sort(rows, keys, scratch));
    return ordered.window(0, wanted);
  }
  const std::size_t buffer_rows = std::min(kBufferFactor * wanted, rows.size()) + kBlockRows;
  Buffered best(scratch.make_array<Candidate>(buffer_rows),
                wanted,
                Precedes(std::span(columns).subspan(1), rows.batch()->ids()),
                scratch.stop());
  scan_set(rows, columns.front(), best);
  if (best.has_stopped()) return scratch.stop().stopped();
  const std::span<const Candidate> winners = best.finish();
  if (best.has_stopped()) return scratch.stop().stopped();
  if (winners.size() < wanted) {
    // Too few rows have a key. Rows without one fill the rest, in an order that only sort() knows.
    MR_TRY(const RowSet ordered, sort(rows, keys, scratch));
    return ordered.window(0, wanted);
  }
  Array<RowIndex> index = scratch.make_array<RowIndex>(wanted);
  MR_TRY_STATUS(in_parts(wanted, scratch.stop(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) index[i] = winners[i].row;
  }));
  return RowSet(rows.batch(), std::move(index));
}

}  // namespace millrace::rows
