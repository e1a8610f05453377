#include "rows/groups/aggregate.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "rows/batch.h"
#include "rows/column.h"
#include "rows/gather.h"
#include "rows/key_groups.h"
#include "rows/stop_check.h"

namespace millrace::rows {
namespace {

using base::Result;
using base::Status;

// Wide enough for the sum of all ints that a batch can hold.
using WideInt = __int128;

template <class T>
using SumOf = std::conditional_t<std::is_same_v<T, std::int64_t>, WideInt, double>;

template <class T>
ColumnRef make_numbers(Array<T> values, Array<std::uint8_t> validity) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    return Column::make_int64(std::move(values), std::move(validity));
  } else {
    return Column::make_float64(std::move(values), std::move(validity));
  }
}

/// Computes the columns of the result one after another.
/// Threading: not shared. Lifetime: borrows the rows and the scratch.
class Aggregator {
 public:
  Aggregator(const RowSet& rows, const KeyGroups& groups, RowScratch& scratch)
      : rows_(rows), groups_(groups), scratch_(scratch) {}

  [[nodiscard]] Result<Aggregated> make(std::span<const AggregateColumn> columns) {
    MR_TRY_STATUS(find_first_rows());
    NamedColumns made;
    made.reserve(columns.size() + 1);
    MR_TRY(const Column* ids, rows_.batch()->get_column(kIdColumn, "aggregate"));
    MR_TRY(ColumnRef first_ids, gather(*ids, first_rows_.span(), scratch_));
    made.push_back({.name = std::string(kIdColumn), .column = std::move(first_ids)});
    for (const AggregateColumn& wanted : columns) {
      MR_TRY(ColumnRef column, make_column(wanted));
      made.push_back({.name = wanted.new_name, .column = std::move(column)});
    }
    MR_TRY(BatchRef batch, Batch::make(std::move(made)));
    return Aggregated{.rows = RowSet(std::move(batch)),
                      .overflow_count = overflow_count_,
                      .is_good = std::move(is_good_),
                      .overflowed_column = std::move(overflowed_column_)};
  }

 private:
  // Groups are numbered in order of appearance, so a row is the first of its group when its number
  // is the next new one.
  Status find_first_rows() {
    first_rows_ = scratch_.make_array<RowIndex>(groups_.group_count);
    std::uint32_t seen = 0;
    return in_parts(rows_.size(), scratch_.stop(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (groups_.ids[i] == seen) first_rows_[seen++] = rows_.row_at(i);
      }
    });
  }

  Result<ColumnRef> make_column(const AggregateColumn& wanted) {
    MR_TRY(const Column* column, rows_.batch()->get_column(wanted.name, "aggregate.columns"));
    if (wanted.aggregation == Aggregation::kFirst) {
      return gather(*column, first_rows_.span(), scratch_);
    }
    if (wanted.aggregation == Aggregation::kCount) return count(*column);
    if (column->type() == ColumnType::kInt64) return compute(wanted, *column, column->int64s());
    if (column->type() == ColumnType::kFloat64) return compute(wanted, *column, column->float64s());
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "Only numbers can be added or compared: " + wanted.name,
                      "aggregate.columns");
  }

  /// Calls `visit(group, row)` for each row whose value is not null.
  template <class Visit>
  Status for_each_value(const Column& column, Visit visit) {
    return in_parts(rows_.size(), scratch_.stop(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const RowIndex row = rows_.row_at(i);
        if (!column.is_null(row)) visit(groups_.ids[i], row);
      }
    });
  }

  template <class T>
  Result<Array<T>> make_filled(T value) {
    Array<T> values = scratch_.make_array<T>(groups_.group_count);
    MR_TRY_STATUS(fill_in_parts(values.span(), value, scratch_.stop()));
    return values;
  }

  Result<ColumnRef> count(const Column& column) {
    MR_TRY(Array<std::int64_t> counts, make_filled<std::int64_t>(0));
    MR_TRY_STATUS(for_each_value(column, [&](std::uint32_t group, RowIndex) { ++counts[group]; }));
    return Column::make_int64(std::move(counts));
  }

  template <class T>
  Result<ColumnRef> compute(const AggregateColumn& wanted,
                            const Column& column,
                            std::span<const T> values) {
    if (wanted.aggregation == Aggregation::kSum) return sum(wanted, column, values);
    if (wanted.aggregation == Aggregation::kMean) return mean(column, values);
    return extreme(wanted.aggregation == Aggregation::kMax, column, values);
  }

  template <class T>
  Result<ColumnRef> extreme(bool is_max, const Column& column, std::span<const T> values) {
    MR_TRY(Array<T> best, make_filled<T>(T{}));
    MR_TRY(Array<std::uint8_t> valid, make_filled<std::uint8_t>(0));
    MR_TRY_STATUS(for_each_value(column, [&](std::uint32_t group, RowIndex row) {
      const T value = values[row];
      if constexpr (std::is_same_v<T, double>) {
        if (std::isnan(value)) return;
      }
      if (valid[group] != 0 && !(is_max ? value > best[group] : value < best[group])) return;
      best[group] = value;
      valid[group] = 1;
    }));
    return make_numbers(std::move(best), std::move(valid));
  }

  template <class T>
  Status add_up(const Column& column,
                std::span<const T> values,
                Array<SumOf<T>>& sums,
                Array<std::uint32_t>& counts) {
    MR_TRY(sums, make_filled<SumOf<T>>(0));
    MR_TRY(counts, make_filled<std::uint32_t>(0));
    return for_each_value(column, [&](std::uint32_t group, RowIndex row) {
      sums[group] += values[row];
      ++counts[group];
    });
  }

  template <class T>
  Result<ColumnRef> mean(const Column& column, std::span<const T> values) {
    Array<SumOf<T>> sums;
    Array<std::uint32_t> counts;
    MR_TRY_STATUS(add_up(column, values, sums, counts));
    Array<double> means = scratch_.make_array<double>(groups_.group_count);
    Array<std::uint8_t> valid = scratch_.make_array<std::uint8_t>(groups_.group_count);
    MR_TRY_STATUS(in_parts(means.size(), scratch_.stop(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t group = begin; group < end; ++group) {
        valid[group] = counts[group] != 0 ? 1 : 0;
        means[group] = valid[group] != 0 ? static_cast<double>(sums[group]) / counts[group] : 0;
      }
    }));
    return Column::make_float64(std::move(means), std::move(valid));
  }

  template <class T>
  Result<ColumnRef> sum(const AggregateColumn& wanted,
                        const Column& column,
                        std::span<const T> values) {
    Array<SumOf<T>> sums;
    Array<std::uint32_t> counts;
    MR_TRY_STATUS(add_up(column, values, sums, counts));
    Array<T> results = scratch_.make_array<T>(groups_.group_count);
    Array<std::uint8_t> valid = scratch_.make_array<std::uint8_t>(groups_.group_count);
    std::size_t beyond = 0;
    MR_TRY_STATUS(
        in_parts(results.size(), scratch_.stop(), [&](std::size_t begin, std::size_t end) {
          for (std::size_t group = begin; group < end; ++group) {
            results[group] = static_cast<T>(sums[group]);
            valid[group] = counts[group] != 0 ? 1 : 0;
            if constexpr (std::is_same_v<T, std::int64_t>) {
              if (results[group] == sums[group]) continue;
              valid[group] = 0;
              ++beyond;
            }
          }
        }));
    if (beyond != 0) MR_TRY_STATUS(note_overflow(wanted, beyond, counts.span(), valid.span()));
    return make_numbers(std::move(results), std::move(valid));
  }

  // Groups that have values and yet no sum are the ones that overflowed.
  Status note_overflow(const AggregateColumn& wanted,
                       std::size_t beyond,
                       std::span<const std::uint32_t> counts,
                       std::span<const std::uint8_t> valid) {
    if (overflow_count_ == 0) {
      overflowed_column_ = wanted.name;
      MR_TRY(is_good_, make_filled<std::uint8_t>(1));
    }
    overflow_count_ += beyond;
    return in_parts(counts.size(), scratch_.stop(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t group = begin; group < end; ++group) {
        if (counts[group] != 0 && valid[group] == 0) is_good_[group] = 0;
      }
    });
  }

  const RowSet& rows_;
  const KeyGroups& groups_;
  RowScratch& scratch_;
  Array<RowIndex> first_rows_;
  std::size_t overflow_count_ = 0;
  Array<std::uint8_t> is_good_;
  std::string overflowed_column_;
};

}  // namespace

Result<Aggregated> aggregate(const RowSet& rows,
                             std::span<const std::string> keys,
                             std::span<const AggregateColumn> columns,
                             RowScratch& scratch) {
  MR_TRY(const KeyGroups groups, group_by_keys(rows, keys, "aggregate.by", scratch));
  return Aggregator(rows, groups, scratch).make(columns);
}

}  // namespace millrace::rows
