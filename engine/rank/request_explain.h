#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/pooled_allocator.h"
#include "rank/request.h"
#include "rank/request_run.h"
#include "rank/row_flow.h"
#include "rows/row_set.h"
#include "rows/value.h"
#include "runtime/run.h"

// What became of an id: the rows that have it are followed from where they entered the plan to
// where they left it. Each way through the plan is a path with a verdict of its own.

namespace millrace::rank {

/// How a path ends; the earlier of two says more about the id.
enum class Verdict : std::uint8_t {
  kServed,        ///< it is a candidate of the answer
  kCut,           ///< a node or the request keeps so many rows, and it was not among them
  kDropped,       ///< a condition on its values kept it out
  kUsed,          ///< other rows were made from it, or decided by it
  kUnused,        ///< nothing reads it
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
  kNode,     ///< the node keeps so many rows
  kLimit,    ///< of the request
  kExclude,  ///< of the request
};

/// One way of a row through the plan.
struct ExplainedPath {
  Verdict verdict = Verdict::kUnused;
  DropReason reason = DropReason::kNone;
  /// Set when the row came from a request field or a literal: the input of `via.front()`.
  std::optional<std::size_t> from_input = {};
  /// Nodes that had the row, in order; the last one ended the path.
  base::PooledVector<std::uint32_t> via = {};
  /// The row where the path ends: of the last node, or of its input if it left the row out.
  const rows::RowSet* rows = nullptr;
  std::size_t position = 0;
  /// Place among the candidates, or among the rows that the node chose from; from 1.
  std::size_t rank = 0;
  std::size_t made_rows = 0;                ///< kUsed as a parent: how many rows came from it
  InputRole role = InputRole::kRows;        ///< kUsed: as what
  std::optional<std::int64_t> parent = {};  ///< whose list it was on
};

/// All that is known of one id.
struct ExplainedId {
  std::int64_t id = 0;
  base::PooledVector<ExplainedPath> paths;
  bool has_more_paths = false;  ///< there are more than `kPathsMax`

  [[nodiscard]] Verdict verdict() const;
};

/// The most paths that are told of one id.
inline constexpr std::size_t kPathsMax = 32;

/// What an explanation reads besides the rows.
/// Lifetime: borrows everything.
struct ExplainSource {
  const RunRows& run;
  const Request& request;
  std::span<const rows::Value> params = {};          ///< by place in `plan->params`
  std::span<const rows::Value> request_fields = {};  ///< by place in `plan->request_fields`
};

/// Follows every id through the run; pure. `source.request.explain_ids` must be set.
[[nodiscard]] std::vector<ExplainedId> explain_ids(const ExplainSource& source);

/// Appends the JSON of `"explain"` for a run that ended well and whose plan was compiled for it.
void explain_request(const RequestRun& run,
                     const runtime::Run& ended,
                     bool ids_as_strings,
                     std::string& out);

}  // namespace millrace::rank
