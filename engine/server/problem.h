#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rank/rank_error.h"

// Errors as HTTP clients see them: a status, a code of a closed list, and a body as RFC 9457 wants
// it (application/problem+json).

namespace millrace::server {

inline constexpr std::string_view kProblemType = "application/problem+json";

/// One code of the closed list.
struct ProblemEntry {
  std::string_view code;
  int status = 500;
  std::string_view title;
  std::string_view cure;  ///< what to do about it
};

/// All codes, in order of status.
[[nodiscard]] std::span<const ProblemEntry> problem_table();
/// The reference page of all codes, in Markdown.
[[nodiscard]] std::string problem_reference();
/// The entry of a code, which must be in the table.
[[nodiscard]] const ProblemEntry& problem_of(std::string_view code);
/// The entry of an error of the engine.
[[nodiscard]] const ProblemEntry& problem_of(rank::RankErrorCode code);
/// The entry for an answer that the connection gives itself, by its status.
[[nodiscard]] const ProblemEntry& problem_of_status(int status);

/// What a client has got wrong, or the server: a code of the table and a sentence.
struct RequestProblem {
  std::string_view code;
  std::string detail;
};

/// The ids of a request in the body of a problem; an empty one is left out.
struct ProblemIds {
  std::string_view request_id = {};
  std::string_view engine_request_id = {};
};

/// Appends the body of a problem that no run of the engine has made.
void write_problem(const RequestProblem& problem, const ProblemIds& ids, std::string& out);

/// The members of a response of the engine: the text after its opening brace.
[[nodiscard]] std::string_view members_of(std::string_view response);

/// Begins the body of a problem of the engine (`rank::BeginError`); the ids and `error` follow.
void begin_rank_problem(const rank::RankError& error, std::string& out);
/// The same without `status`, for lines of batches, which say it before.
void begin_line_problem(const rank::RankError& error, std::string& out);

}  // namespace millrace::server
