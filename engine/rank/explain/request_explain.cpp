#include "rank/explain/request_explain.h"

#include <cstdint>
#include <string>
#include <vector>

#include "base/formats/json_writer.h"
#include "plan/compiled_plan.h"
#include "rank/explain/explain_ids.h"
#include "rank/explain/explain_json.h"
#include "rank/explain/row_flow.h"

namespace millrace::rank {
namespace {

RunRows rows_of_run(const RequestRun& run, const runtime::Run& ended) {
  RunRows rows{.plan = &run.plan().plan(), .rows = {}, .inputs = {}, .stood_in = {}};
  rows.rows.reserve(rows.plan->nodes.size());
  rows.stood_in.reserve(rows.plan->nodes.size());
  rows.inputs.reserve(rows.plan->nodes.size());
  for (std::uint32_t node = 0; node < rows.plan->nodes.size(); ++node) {
    const plan::CompiledNode& compiled = rows.plan->nodes[node];
    const bool stood_in =
        compiled.on_failure != plan::OnFailure::kFail && ended.used_fallback(runtime::NodeId(node));
    // `rows_of` would give the rows of the fallback node even if the fallback was not used.
    const bool has_rows = stood_in || run.find_stats(node) != nullptr;
    rows.rows.push_back(has_rows ? run.rows_of(node) : nullptr);
    rows.stood_in.push_back(stood_in);
    auto& inputs = rows.inputs.emplace_back();
    inputs.reserve(compiled.inputs.size());
    for (std::uint32_t input = 0; input < compiled.inputs.size(); ++input)
      inputs.push_back(run.input_of(node, input));
  }
  return rows;
}

}  // namespace

void explain_request(const RequestRun& run,
                     const runtime::Run& ended,
                     const CandidateOptions& options,
                     std::string& out) {
  const RunRows rows = rows_of_run(run, ended);
  const ExplainSource source{.run = rows,
                             .request = run.request(),
                             .params = run.params(),
                             .request_fields = run.request_fields(),
                             .now = run.now(),
                             .stop = options.stop};
  const std::vector<ExplainedId> explained = explain_ids(source);
  if (options.stop.stop_requested()) return;
  base::JsonWriter json(out);
  write_explanation(json, source, explained, options.ids_as_strings);
}

}  // namespace millrace::rank
