#include "rows/sample.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
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

// Hashes are spread evenly, so the highest bits decide about almost all rows. Only the rows of one
// bucket need to be compared with each other.
constexpr unsigned kHashBucketBits = 10;
constexpr std::size_t kHashBucketCount = std::size_t{1} << kHashBucketBits;

std::size_t bucket_of(std::uint64_t hash) { return hash >> (64U - kHashBucketBits); }

struct Ticket {
  std::uint64_t hash;
  std::uint32_t position;
};

struct TicketPrecedes {
  bool operator()(const Ticket& left, const Ticket& right) const {
    if (left.hash != right.hash) return left.hash < right.hash;
    return left.position < right.position;
  }
};

// Sets the hash of each row and counts them by bucket.
base::Status hash_rows(const RowSet& rows,
                       std::uint64_t seed,
                       std::span<std::uint64_t> hashes,
                       std::span<std::uint32_t, kHashBucketCount> counts,
                       const StopCheck& stop) {
  return in_parts(rows.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      hashes[i] = sample_hash(seed, rows.batch()->ids()[rows.row_at(i)]);
      ++counts[bucket_of(hashes[i])];
    }
  });
}

// Marks the rows of the `wanted` smallest hashes; of equal hashes the earlier rows. There are more
// rows than wanted.
base::Status mark_smallest(std::span<const std::uint64_t> hashes,
                           std::span<const std::uint32_t, kHashBucketCount> counts,
                           std::size_t wanted,
                           std::span<std::uint8_t> keep,
                           RowScratch& scratch) {
  std::size_t border = 0;  // the bucket of which some rows are kept and some are not
  for (; wanted >= counts[border]; ++border) wanted -= counts[border];
  Array<Ticket> tickets = scratch.make_array<Ticket>(counts[border]);
  Ticket* const first = tickets.data();
  Ticket* last = first;
  MR_TRY_STATUS(in_parts(hashes.size(), scratch.stop(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t bucket = bucket_of(hashes[i]);
      keep[i] = bucket < border ? 1 : 0;
      if (bucket == border) [[unlikely]]
        *last++ = {hashes[i], static_cast<std::uint32_t>(i)};
    }
  }));
  StopPacer pacer(scratch.stop());
  if (!quick_select(first, first + wanted, last, TicketPrecedes(), pacer))
    return scratch.stop().stopped();
  for (const Ticket& ticket : tickets.span().first(wanted)) keep[ticket.position] = 1;
  return {};
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
  Array<std::uint64_t> hashes = scratch.make_array<std::uint64_t>(rows.size());
  std::array<std::uint32_t, kHashBucketCount> counts{};
  MR_TRY_STATUS(hash_rows(rows, seed, hashes.span(), counts, scratch.stop()));
  Array<std::uint8_t> keep = scratch.make_array<std::uint8_t>(rows.size());
  MR_TRY_STATUS(mark_smallest(hashes.span(), counts, wanted, keep.span(), scratch));
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
