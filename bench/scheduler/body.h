#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "scheduler/shape.h"

// What a node does when it runs, the same for every engine.
//
// A body must cost as little as possible when it is timed and still prove that the engine ran every
// node once and after its producers. Each node has a stamp of its own that its body increments: one
// read-modify-write of a plain word, no other node's memory is touched, no atomic, no clock. The
// sign of the stamp selects the mode: a count from zero upwards is a timed run, a count from
// `kVerifyBase` upwards is a verified run, in which the body also looks at the stamps of all its
// producers. The test for the mode is the sign flag of the increment itself (inc, then js), a
// branch that is never taken in timed runs, so the same prepared DAG is timed and verified
// alternately without a second body, a second indirection or a flag to load.
//
// Exactly once is thus checked after every timed sample (all stamps equal the number of runs); the
// order is checked in the verified runs that every repetition contains. Because stamps are plain
// memory, an engine that forgets to publish a producer's writes is also a data race for TSan.
namespace millrace::bench {

class BodyTable;

/// The memory of one node's body.
struct Cell {
  std::int64_t stamp = 0;
  BodyTable* table = nullptr;
};

/// The cells of one DAG; a workload that keeps several DAGs in flight has one table for each.
/// Threading: bodies run on any thread, ordered by the engine's dependencies; the rest between
/// runs. Lifetime: borrows the shape; bodies borrow the table.
class BodyTable {
 public:
  explicit BodyTable(const Shape& shape);
  BodyTable(const BodyTable&) = delete;
  BodyTable& operator=(const BodyTable&) = delete;

  [[nodiscard]] Cell* cell(NodeIndex node) { return &cells_[node]; }

  /// Starts counting from zero in timed mode: bodies only count.
  void begin_timed();
  /// Starts counting anew in verified mode: bodies also check their producers.
  void begin_verified();
  /// Gives the number of runs since begin_*(), or -1 when the nodes disagree about it.
  [[nodiscard]] std::int64_t completed_runs() const;
  /// Gives how many verified bodies started before a producer had ended, or a second time.
  [[nodiscard]] std::uint64_t order_violations() const;

  /// Called by bodies in verified runs, around their work.
  void enter_verified(const Cell& cell);
  void leave_verified(const Cell& cell);

 private:
  const Shape& shape_;
  std::vector<Cell> cells_;
  // Stamp with which each node last ended; written by its body only.
  std::vector<std::int64_t> ended_;
  std::int64_t base_ = 0;
  // Relaxed: a count that publishes nothing, read after the run.
  std::atomic<std::uint64_t> violations_ = 0;
};

/// Runs the verified part of an empty body. Out of line so that the timed path stays two
/// instructions.
void run_verified(Cell& cell);

/// Uses time in a chain of dependent multiplications: no clock read, no memory access, nothing that
/// two cores share. Never inlined, so that the same loop runs in every engine and in the ideal.
void spin(std::uint64_t steps);

/// The body that only increments its stamp.
struct EmptyBody {
  Cell* cell;
  void operator()() const {
    if (++cell->stamp < 0) [[unlikely]]
      run_verified(*cell);
  }
};

/// The body that computes for a calibrated time.
struct SpinBody {
  Cell* cell;
  std::uint64_t steps;
  void operator()() const {
    const bool verified = ++cell->stamp < 0;
    if (verified) [[unlikely]]
      cell->table->enter_verified(*cell);
    spin(steps);
    if (verified) [[unlikely]]
      cell->table->leave_verified(*cell);
  }
};

}  // namespace millrace::bench
