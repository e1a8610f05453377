#include "rows/sample.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/result.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/select.h"

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
  for (std::size_t i = 0; i < rows.size(); ++i) {
    tickets[i] = {sample_hash(seed, rows.batch()->ids()[rows.row_at(i)]),
                  static_cast<std::uint32_t>(i)};
  }
  std::nth_element(
      tickets.data(), tickets.data() + wanted, tickets.data() + tickets.size(), precedes);
  Array<std::uint8_t> keep = scratch.make_array<std::uint8_t>(rows.size());
  std::fill_n(keep.data(), keep.size(), std::uint8_t{0});
  for (std::size_t i = 0; i < wanted; ++i) keep[tickets[i].position] = 1;
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
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t hash = sample_hash(seed, rows.batch()->ids()[rows.row_at(i)]);
    keep[i] = static_cast<double>(hash >> 11U) * 0x1.0p-53 < rate ? 1 : 0;
  }
  return filter(rows, keep.span(), scratch);
}

}  // namespace millrace::rows
