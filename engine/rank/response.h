#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/formats/json_writer.h"
#include "plan/compiled_plan.h"
#include "rank/rank_error.h"
#include "rank/request_run.h"
#include "runtime/run.h"

namespace millrace::rank {

/// What follows the candidates and does not come from the run.
struct AnswerFacts {
  base::Duration took{};
  std::uint32_t degraded_count = 0;  ///< from `count_degraded`
  /// JSON of `"explain"` and `"trace"`; empty: not asked for.
  std::string_view explain = {};
  std::string_view trace = {};
};

/// Writes one value; `null` for an empty one.
void write_value(base::JsonWriter& json, const rows::Value& value);
/// Writes an id, as a string for readers whose numbers are doubles.
void write_id(base::JsonWriter& json, std::int64_t id, bool as_string);

/// Checks the keys that a request asks for against what the plan's outputs have.
[[nodiscard]] std::expected<void, RankError> check_output_keys(const RequestRun& run);

/// Counts the nodes of a run that ended well whose fallback was used.
[[nodiscard]] std::uint32_t count_degraded(const RequestRun& run, const runtime::Run& ended);

/// A node whose fallback was used, and why.
/// Lifetime: borrows the id from the plan.
struct DegradedNode {
  std::string_view node;
  DegradedKind kind = DegradedKind::kError;
};
/// Appends the nodes that `count_degraded` counts.
void append_degraded(const RequestRun& run,
                     const runtime::Run& ended,
                     std::vector<DegradedNode>& nodes);

/// Begins the response of a run that ended well. Its candidates come next (`CandidateWriter`).
void begin_response(const RequestRun& run, std::string_view engine_request_id, std::string& out);
/// Appends what follows the candidates.
void end_response(const RequestRun& run,
                  const runtime::Run& ended,
                  const AnswerFacts& facts,
                  std::string& out);

/// Begins the object of a response without candidates for a transport that wants more members than
/// stdin: the brace and those members, each with a comma behind it.
using BeginError = void (*)(const RankError& error, std::string& out);

/// Appends the response of a request that has no candidates. `begin`: nullptr for the brace alone.
void write_error(std::string_view request_id,
                 std::string_view engine_request_id,
                 const RankError& error,
                 BeginError begin,
                 std::string& out);

/// Gives the error that the caller of a failed run is told.
/// `budget` is what the request had from its start to its deadline.
[[nodiscard]] RankError error_of(const RequestRun& run,
                                 const runtime::Run& ended,
                                 base::Duration budget);

/// One candidate of an answer: the output it comes from, and its row in the batch of that output.
struct Candidate {
  std::uint32_t output = 0;
  rows::RowIndex row = 0;
};
[[nodiscard]] std::vector<Candidate> candidates_of(const RequestRun& run);

}  // namespace millrace::rank
