#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "plan/compiled_plan.h"
#include "rows/row_set.h"
#include "runtime/topology/topology.h"

// How long the rows of a node live: until everyone who may read them has done so (D12). Memory of a
// request under way is then that of rows that are still needed, not of all nodes.
//
// Who may read the rows of node X, and until when:
// - a node that has X as input: until its body has taken its inputs. If it has a fallback value,
//   until it is decided whether its rows come from the body or from the fallback, which may pass
//   the input on; and a body that was given up just while it takes its inputs is waited for.
// - a lazy node that has X as input and is never needed: until all nodes that it could have stood
//   in for have rows of their own.
// - a node whose fallback is X: until it has rows of its own, or nobody reads it any more.
// - the answer, of outputs; every node, of the viewer's row: until the request is over.
// - X itself, where a reader can be through before X has rows: until it has them.
//
// Invariant: whoever reads rows is counted in them, so rows are freed by exactly one thread, after
// the last reader. Where the time of a node ran out before its body began, and its fallback is
// another node, nobody says when its readers are done: those rows live until the request is over.

namespace millrace::rank {

/// Which nodes of a plan read the rows of which.
/// Threading: any thread; immutable.
class RowReads {
 public:
  RowReads(const plan::CompiledPlan& plan, const runtime::Topology& topology);

 private:
  friend class LiveRows;

  struct Node {
    std::vector<std::uint32_t> inputs;  // nodes whose rows it reads, as often as it does
    std::vector<std::uint32_t> lazies;  // nodes that its fallback node needs and nobody else
    std::uint32_t readers = 0;          // of its own rows, at the start
    std::uint32_t lazy_users = 0;       // nodes that have it among their `lazies`
    std::uint32_t fallback_node = plan::kNoPlanNode;
    bool has_fallback_value = false;
    bool reads_itself = false;  // counts as its own reader until it has rows
  };
  std::vector<Node> nodes_;
  bool has_lazy_ = false;
};

/// The rows of the nodes of one request, freed as soon as nobody needs them.
/// Threading: each node's members are called by the thread that runs it or takes its fallback;
/// `open` and `clear` while no node runs. Lifetime: borrows `reads`.
class LiveRows {
 public:
  explicit LiveRows(const RowReads& reads);

  /// Begins a request. With `keeps_all` nothing is freed before `clear`, for those who look at all
  /// rows afterwards.
  void open(bool keeps_all);
  void clear();
  [[nodiscard]] bool keeps_all() const { return keeps_all_; }

  /// The rows of a node or, if it has none, of its fallback node; nullptr if there are none.
  [[nodiscard]] const rows::RowSet* find(std::uint32_t node) const;
  /// Whether the rows of the node come from its body.
  [[nodiscard]] bool is_published(std::uint32_t node) const { return cells_[node].published; }

  /// Call it before the body of `node` takes its inputs. False: its fallback was taken, its inputs
  /// may be gone, and its result does not count.
  [[nodiscard]] bool try_begin_reading(std::uint32_t node);
  /// Call it when the body has copied its inputs.
  void end_reading(std::uint32_t node);
  /// Says that the body of `node` will not give rows.
  void note_failed(std::uint32_t node);
  /// Gives the node the rows of its body.
  void publish(std::uint32_t node, rows::RowSet rows);
  /// Gives the node the rows of its fallback value. It may still find its inputs until this.
  void stand_in(std::uint32_t node, rows::RowSet rows);

 private:
  static constexpr std::uint8_t kReading = 1;
  static constexpr std::uint8_t kDecided = 2;

  struct Cell {
    std::optional<rows::RowSet> rows;
    // Publishes `rows` to a fallback that looks for its input although that may not be there yet;
    // other readers begin after the node has ended.
    std::atomic<bool> has_rows{false};
    bool published = false;
    // Of nodes with a fallback value: whether the body takes its inputs, and whether it is decided
    // where the node's rows come from. Whoever sees both of the other frees the inputs.
    std::atomic<std::uint8_t> door{0};
    // Readers to come. The last decrement acquires what the other readers did before theirs.
    std::atomic<std::uint32_t> readers{0};
  };

  static void fill(Cell& cell, rows::RowSet rows);
  void decide(std::uint32_t node);
  void leave(std::uint32_t node);
  void leave_inputs(std::uint32_t node);
  /// Says that `node` does not need its fallback node, nor what only that needs.
  void skip_lazies(std::uint32_t node);

  const RowReads& reads_;
  std::vector<Cell> cells_;
  // Of lazy nodes: those that may still need them. Null if the plan has none.
  std::unique_ptr<std::atomic<std::uint32_t>[]> lazy_users_;
  bool keeps_all_ = false;
};

}  // namespace millrace::rank
