#pragma once

#include "base/arena.h"
#include "base/lease_pool.h"
#include "expr/machine/evaluation.h"
#include "rows/row_scratch.h"

namespace millrace::tasks {

/// Memory that bodies reuse: blocks for rows, registers for expressions, an arena.
/// Threading: one body at a time; on a loop, all bodies of that loop.
class TaskScratch {
 public:
  TaskScratch() : eval_(rows_) {}
  TaskScratch(const TaskScratch&) = delete;
  TaskScratch& operator=(const TaskScratch&) = delete;

  [[nodiscard]] rows::RowScratch& rows() { return rows_; }
  [[nodiscard]] expr::EvalScratch& eval() { return eval_; }
  [[nodiscard]] base::Arena& arena() { return arena_; }
  /// Takes back what the arena handed out.
  void reset() { arena_.reset(); }

 private:
  rows::RowScratch rows_;
  expr::EvalScratch eval_;
  base::Arena arena_;
};

/// Lends scratches to bodies: as many as bodies ever ran at the same time.
using ScratchPool = base::LeasePool<TaskScratch>;
using ScratchLease = base::Lease<TaskScratch>;

}  // namespace millrace::tasks
