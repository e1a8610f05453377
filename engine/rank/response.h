#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/formats/json_writer.h"
#include "plan/compiled_plan.h"
#include "rank/candidate_writer.h"
#include "rank/rank_error.h"
#include "rank/request_run.h"
#include "runtime/run.h"

namespace millrace::rank {

/// What the caller is told besides the candidates.
struct AnswerFacts {
  std::string_view engine_request_id;
  base::Duration took{};
  /// Ids as JSON strings, for readers whose numbers are doubles.
  bool ids_as_strings = false;
  /// JSON of `"explain"` and `"trace"`; empty: not asked for.
  std::string_view explain = {};
  std::string_view trace = {};
};

/// Writes one cell; null for one that is empty.
void write_value(base::JsonWriter& json, const rows::Value& value);
/// Writes an id, as a string for readers whose numbers are doubles.
void write_id(base::JsonWriter& json, std::int64_t id, bool as_string);

/// Gives what answers say about their plan, as JSON.
[[nodiscard]] std::string plan_json(const plan::CompiledPlan& plan);

/// Checks the keys that a request asks for against what the plan's outputs have.
[[nodiscard]] std::expected<void, RankError> check_output_keys(const RequestRun& run);

/// Appends the response of a run that ended well; `candidates` is memory that is used again.
void write_response(const RequestRun& run,
                    const runtime::Run& ended,
                    const AnswerFacts& facts,
                    CandidateWriter& candidates,
                    std::string& out);

/// Appends the response of a request that has no candidates.
void write_error(std::string_view request_id,
                 std::string_view engine_request_id,
                 const RankError& error,
                 std::string& out);

/// Says why a run failed, in the caller's terms.
[[nodiscard]] RankError error_of(const RequestRun& run, const runtime::Run& ended);

/// Position of each candidate in the answer: which output, and which row of its batch. The rows of
/// all outputs in order, without those excluded, cut at the limit.
struct Candidate {
  std::uint32_t output = 0;
  rows::RowIndex row = 0;
};
[[nodiscard]] std::vector<Candidate> candidates_of(const RequestRun& run);

}  // namespace millrace::rank
