#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/rows/dataset.h"

// What a good programmer writes by hand for exactly these cases: the rival for which everything is
// fixed in advance. Memory is kept between calls.

namespace millrace::bench {

struct Scored {
  double score;
  std::int64_t id;
};

/// Score, filter and top in one loop, with a heap or with a buffer that nth_element cuts.
class FusedLoop {
 public:
  explicit FusedLoop(const PipelineData& data) : data_(&data) {}

  [[nodiscard]] std::span<const Scored> run_with_heap();
  [[nodiscard]] std::span<const Scored> run_with_buffer();

 private:
  const PipelineData* data_;
  std::vector<Scored> best_;
};

/// Each part as a separate loop.
class PartLoops {
 public:
  explicit PartLoops(const PipelineData& data);

  [[nodiscard]] std::span<const double> score();
  /// Positions of rows at or above the threshold.
  [[nodiscard]] std::span<const std::uint32_t> filter();
  [[nodiscard]] std::span<const Scored> top();

 private:
  const PipelineData* data_;
  std::vector<double> scores_;
  std::vector<std::uint32_t> kept_;
  std::vector<Scored> best_;
};

/// Open addressing over int64 keys.
class IntTable {
 public:
  explicit IntTable(std::size_t count_max);
  void clear();
  /// Gives the number of the key and whether it is new.
  struct Found {
    std::uint32_t number;
    bool is_new;
  };
  [[nodiscard]] Found insert(std::int64_t key);
  /// Gives the number of the key, or the largest uint32 if it is not in the table.
  [[nodiscard]] std::uint32_t find(std::int64_t key) const;

 private:
  struct Slot {
    std::int64_t key;
    std::uint32_t number;
  };
  [[nodiscard]] std::size_t slot_of(std::int64_t key) const;

  std::vector<Slot> slots_;
  unsigned shift_;
  std::uint32_t count_ = 0;
};

}  // namespace millrace::bench
