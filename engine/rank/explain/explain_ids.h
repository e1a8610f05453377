#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/pooled_allocator.h"
#include "rank/explain/row_flow.h"
#include "rank/request.h"
#include "rows/row_set.h"
#include "rows/stop_check.h"
#include "rows/value.h"

// Explains what became of an id in a run. Every row with that id is followed from the node where it
// entered the plan to the node where it left. Each way through the plan is a path, and each path
// ends with a verdict.

namespace millrace::rank {

/// How a path ends. Of several paths, the verdict that stands first in this list is the id's. A row
/// that `dedupe` left out for another row of the same id shares the fate of that row, so it decides
/// only if nothing else does.
enum class Verdict : std::uint8_t {
  kServed,        ///< it is a candidate of the answer
  kCut,           ///< a node or the request keeps a limited number of rows, and this was not one
  kDropped,       ///< a condition on its values removed it
  kUsed,          ///< a node read it to make or to choose other rows
  kUnused,        ///< no output needs the node that gave it
  kNeverFetched,  ///< no source of candidates gave it
};
[[nodiscard]] std::string_view to_string(Verdict verdict);

/// Why a node or the request left a row out.
enum class DropReason : std::uint8_t {
  kNone,
  kPredicate,
  kRowError,
  kNoMatch,
  kMatch,
  kFallback,
  kNode,     ///< the node keeps a limited number of rows
  kLimit,    ///< the `limit` of the request
  kExclude,  ///< the `exclude` list of the request
};

/// One way of a row through the plan.
struct ExplainedPath {
  Verdict verdict = Verdict::kUnused;
  DropReason reason = DropReason::kNone;
  /// Set when the row came from a request field or a literal: which input of the first node it was.
  std::optional<std::size_t> from_input = {};
  /// The nodes that the row passed, in order; the path ends at the last one.
  base::PooledVector<std::uint32_t> via = {};
  /// The row set with the row at the end of the path: the rows of the last node or, if that node
  /// removed the row, the rows of its input.
  const rows::RowSet* rows = nullptr;
  std::size_t position = 0;
  /// Place of the row among the candidates, or among the rows that the last node chose from; the
  /// first is 1.
  std::size_t rank = 0;
  std::size_t made_rows = 0;          ///< kUsed as a parent: number of rows made from it
  InputRole role = InputRole::kRows;  ///< kUsed: what the node used it for
  std::string why = {};               ///< kPredicate and kRowError: what failed, in words
  /// Cut by a `dedupe`: the row of the last node's rows that was kept instead.
  std::optional<std::size_t> winner = {};
  const rows::RowSet* winner_rows = nullptr;  ///< set with `winner`
  std::optional<std::int64_t> parent = {};    ///< id of the row whose list it came from
};

/// The explanation of one id.
struct ExplainedId {
  std::int64_t id = 0;
  base::PooledVector<ExplainedPath> paths;
  bool has_more_paths = false;  ///< there are more than `kPathsMax`

  [[nodiscard]] Verdict verdict() const;
  /// The path that decides the verdict; nullptr if there is none.
  [[nodiscard]] const ExplainedPath* deciding_path() const;
};

/// How many paths of one id are kept at most. If there are more, those with the first verdicts are.
inline constexpr std::size_t kPathsMax = 32;

/// What an explanation reads.
/// Lifetime: borrows everything.
struct ExplainSource {
  const RunRows& run;
  const Request& request;
  std::span<const rows::Value> params = {};                ///< in the order of the plan's params
  std::span<const rows::Value> request_fields = {};        ///< in the order of its request fields
  std::chrono::sys_time<std::chrono::milliseconds> now{};  ///< what `now()` gave
  rows::StopCheck stop = {};                               ///< ends it early, with whatever it has
};

/// Values of the viewer's fields that expressions of the plan read, in the plan's order.
[[nodiscard]] std::vector<rows::Value> viewer_values(const ExplainSource& source);

/// Follows every id through the run; pure. `source.request.explain_ids` must be set.
[[nodiscard]] std::vector<ExplainedId> explain_ids(const ExplainSource& source);

}  // namespace millrace::rank
