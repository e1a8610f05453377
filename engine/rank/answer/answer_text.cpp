#include "rank/answer/answer_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "plan/compiled_plan.h"
#include "rank/explain/request_explain.h"
#include "rank/row_weight.h"
#include "rows/batch.h"
#include "rows/row_set.h"

namespace millrace::rank {
namespace {

/// That many bytes of text take about as long to write as a number.
constexpr std::size_t kTextBytesPerValue = 16;

}  // namespace

std::size_t weight_of_answer(const RequestRun& run) {
  const plan::CompiledPlan& plan = run.plan().plan();
  const Request& request = run.request();
  const std::size_t keys =
      request.output_keys ? request.output_keys->size() : plan.output_keys.size();
  std::size_t weight = 0;
  for (const std::uint32_t output : plan.outputs) {
    const rows::RowSet& rows = *run.rows_of(output);
    const std::size_t count = std::min(rows.size(), candidate_max(request));
    weight += count * (1 + keys + mean_text_bytes(rows) / kTextBytesPerValue);
    // Rows that are excluded or cut are passed over one by one.
    if (!request.exclude.empty()) weight += rows.size();
  }
  if (!request.explain_ids) return weight;
  std::size_t row_count = 0;
  for (std::uint32_t node = 0; node < plan.nodes.size(); ++node) {
    const rows::RowSet* const rows = run.rows_of(node);
    row_count += rows != nullptr ? rows->size() : 0;
  }
  return weight + row_count * (1 + request.explain_ids->size());
}

AnswerEnd append_rows(const RequestRun& run,
                      const runtime::Run& ended,
                      const CandidateOptions& options,
                      AnswerText& text) {
  text.explain.clear();
  if (run.request().explain_ids) explain_request(run, ended, options, text.explain);
  if (options.stop.stop_requested()) return AnswerEnd::kLate;
  return text.candidates.append(run, options, text.response);
}

}  // namespace millrace::rank
