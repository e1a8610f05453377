#include "rows/sample.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/result.h"
#include "rows/quick_order.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/select.h"
#include "rows/stop_check.h"

namespace millrace::rows {

using base::ErrorCode;
using base::fail;
using base::Result;

namespace {

struct Ticket {
  std::uint64_t hash;
  std::uint32_t position;
};

bool precedes(const Ticket& left, const Ticket& right) {
  if (left.hash != right.hash) return left.hash < right.hash;
  return left.position < right.position;
}

}  // namespace

std::uint64_t sample_hash(std::uint64_t seed, std::int64_t id) {
  const std::uint64_t key = base::SplitMix64(seed).next();
  return base::SplitMix64(static_cast<std::uint64_t>(id) ^ key).next();
}

Result<RowSet> sample_count(const RowSet& rows,
                            std::int64_t count,
                            std::uint64_t seed,
                            RowScratch& scratch) {
  if (count < 0) {
    return fail(ErrorCode::kInvalidArgument,
                "Count must not be negative: " + std::to_string(count),
                "sample.count");
  }
  const auto wanted = static_cast<std::size_t>(count);
  if (wanted >= rows.size()) return rows;
  Array<Ticket> tickets = scratch.make_array<Ticket>(rows.size());
  const StopCheck& stop = scratch.stop();
  MR_TRY_STATUS(in_parts(rows.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      tickets[i] = {sample_hash(seed, rows.batch()->ids()[rows.row_at(i)]),
                    static_cast<std::uint32_t>(i)};
    }
  }));
  Ticket* const first = tickets.data();
  StopPacer pacer(stop);
  if (!quick_select(first, first + wanted, first + tickets.size(), precedes, pacer))
    return stop.stopped();
  Array<std::uint8_t> keep = scratch.make_array<std::uint8_t>(rows.size());
  MR_TRY_STATUS(fill_in_parts(keep.span(), std::uint8_t{0}, stop));
  MR_TRY_STATUS(in_parts(wanted, stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) keep[tickets[i].position] = 1;
  }));
  return filter(rows, keep.span(), scratch);
}

Result<RowSet> sample_rate(const RowSet& rows,
                           double rate,
                           std::uint64_t seed,
                           RowScratch& scratch) {
  if (!(rate >= 0 && rate <= 1)) {
    return fail(ErrorCode::kInvalidArgument,
                "Rate must be between 0 and 1: " + std::to_string(rate),
                "sample.rate");
  }
  Array<std::uint8_t> keep = scratch.make_array<std::uint8_t>(rows.size());
  MR_TRY_STATUS(in_parts(rows.size(), scratch.stop(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t hash = sample_hash(seed, rows.batch()->ids()[rows.row_at(i)]);
      keep[i] = static_cast<double>(hash >> 11U) * 0x1.0p-53 < rate ? 1 : 0;
    }
  }));
  return filter(rows, keep.span(), scratch);
}

}  // namespace millrace::rows
