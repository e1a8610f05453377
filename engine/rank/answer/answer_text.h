#pragma once

#include <cstddef>
#include <string>

#include "rank/candidate_writer.h"
#include "rank/request_run.h"
#include "runtime/run.h"

namespace millrace::rank {

/// The text of a response while it is written, with the buffers that this takes.
struct AnswerText {
  std::string response;
  std::string explain;  ///< JSON of `"explain"`; empty: not asked for
  std::string trace;    ///< the same of `"trace"`
  CandidateWriter candidates;
};

/// An answer of at most this weight is written on an event loop, which takes well below a
/// millisecond. Others are written on workers.
inline constexpr std::size_t kAnswerWeightOnLoopMax = 16'384;

/// About how many values have to be written or, for explanations, looked at; long texts count as
/// several.
[[nodiscard]] std::size_t weight_of_answer(const RequestRun& run);

/// Appends what an answer has per row: the candidates to `response`, and explanations to `explain`.
[[nodiscard]] AnswerEnd append_rows(const RequestRun& run,
                                    const runtime::Run& ended,
                                    const CandidateOptions& options,
                                    AnswerText& text);

}  // namespace millrace::rank
