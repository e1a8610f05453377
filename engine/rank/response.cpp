#include "rank/response.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <variant>

#include "base/append_texts.h"
#include "base/did_you_mean.h"
#include "base/format.h"
#include "rank/candidate_writer.h"
#include "rank/output_order.h"
#include "tasks/pinned_state.h"

namespace millrace::rank {

using base::JsonWriter;

void write_value(JsonWriter& json, const rows::Value& value) {
  std::visit(
      [&](const auto& content) {
        if constexpr (std::is_same_v<std::decay_t<decltype(content)>, std::monostate>) {
          json.null();
        } else {
          json.value(content);
        }
      },
      value);
}

void write_id(JsonWriter& json, std::int64_t id, bool as_string) {
  if (!as_string) return json.value(id);
  char text[24];
  const auto end = std::to_chars(std::begin(text), std::end(text), id).ptr;
  json.value(std::string_view(text, static_cast<std::size_t>(end - text)));
}

namespace {

std::string_view fallback_name(const plan::CompiledPlan& plan, const plan::CompiledNode& node) {
  switch (node.on_failure) {
    case plan::OnFailure::kUseEmpty:
      return "empty";
    case plan::OnFailure::kUseInput:
      return "input";
    case plan::OnFailure::kUseNode:
      return plan.nodes[node.fallback_node].id;
    case plan::OnFailure::kFail:
      break;
  }
  return "fail";
}

bool is_degraded(const runtime::Run& ended, const plan::CompiledPlan& plan, std::uint32_t index) {
  return plan.nodes[index].on_failure != plan::OnFailure::kFail && !plan.nodes[index].is_unused &&
         ended.used_fallback(runtime::NodeId(index));
}

// Appends the member `degraded` of an answer for which at least one fallback was used.
void append_degraded(const RequestRun& run, const runtime::Run& ended, std::string& out) {
  const plan::CompiledPlan& plan = run.plan().plan();
  out += R"(,"degraded":{"is":true,"reasons":)";
  JsonWriter json(out);
  json.begin_array();
  for (std::uint32_t index = 0; index < plan.nodes.size(); ++index) {
    if (!is_degraded(ended, plan, index)) continue;
    json.begin_object();
    json.member("node", plan.nodes[index].id);
    json.member("kind", run.degraded_kind(index) == DegradedKind::kError ? "error" : "timeout");
    json.member("fallback", fallback_name(plan, plan.nodes[index]));
    const RankError cause = run.degraded_cause(index);
    json.member("code", to_string(cause.code));
    json.member("message", cause.message);
    json.end_object();
  }
  json.end_array();
  out += '}';
}

void append_warnings(const RequestRun& run, std::string& out) {
  const plan::CompiledPlan& plan = run.plan().plan();
  out += R"(,"warnings":)";
  JsonWriter json(out);
  json.begin_array();
  for (std::uint32_t index = 0; index < plan.nodes.size(); ++index) {
    const tasks::TaskStats* const stats = run.find_stats(index);
    if (stats == nullptr || stats->row_errors == 0 || plan.nodes[index].is_unused) continue;
    json.value(base::format("node '{}' ({}): {} row error{}; the first: {}",
                            plan.nodes[index].id,
                            plan.nodes[index].task->op,
                            stats->row_errors,
                            stats->row_errors == 1 ? "" : "s",
                            stats->first_row_error));
  }
  for (const OutputOrder& order : run.plan().output_orders()) {
    const rows::RowSet* const rows = run.rows_of(order.output);
    if (rows == nullptr) continue;
    if (const auto warning = find_null_order(plan, order, *rows)) json.value(*warning);
  }
  const auto takes_candidates = [](const plan::CompiledNode& node) {
    return node.task->op == "candidates" && !node.is_unused;
  };
  if (run.request().candidates && std::ranges::none_of(plan.nodes, takes_candidates))
    json.value("'candidates' of the request are ignored: no node of the plan reads them");
  json.end_array();
}

// Appends the members that every response begins with.
void append_ids(std::string_view request_id, std::string_view engine_request_id, std::string& out) {
  if (!request_id.empty()) {
    out += R"("request_id":)";
    base::append_json_string(out, request_id);
    out += ',';
  }
  // Made by the engine, of letters, digits and hyphens.
  base::append_texts(out, R"("engine_request_id":")", engine_request_id, "\"");
}

}  // namespace

std::uint32_t count_degraded(const RequestRun& run, const runtime::Run& ended) {
  const plan::CompiledPlan& plan = run.plan().plan();
  std::uint32_t count = 0;
  for (std::uint32_t index = 0; index < plan.nodes.size(); ++index)
    count += is_degraded(ended, plan, index) ? 1 : 0;
  return count;
}

void append_degraded(const RequestRun& run,
                     const runtime::Run& ended,
                     std::vector<DegradedNode>& nodes) {
  const plan::CompiledPlan& plan = run.plan().plan();
  for (std::uint32_t index = 0; index < plan.nodes.size(); ++index) {
    if (is_degraded(ended, plan, index))
      nodes.push_back({.node = plan.nodes[index].id, .kind = run.degraded_kind(index)});
  }
}

std::vector<Candidate> candidates_of(const RequestRun& run) {
  std::vector<Candidate> found;
  for_each_candidate(run, [&](std::uint32_t output, rows::RowIndex row) {
    found.push_back({output, row});
    return true;
  });
  return found;
}

std::expected<void, RankError> check_output_keys(const RequestRun& run) {
  if (!run.request().output_keys) return {};
  const auto known = run.plan().output_columns();
  std::size_t position = 0;
  for (const std::string_view key : *run.request().output_keys) {
    const RequestStep item = position++;
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    return refuse_given(run.request().document,
                        {"output_keys", item},
                        RankErrorCode::kUnknownOutputKey,
                        base::format("The plan '{}' has no column '{}'{}",
                                     run.plan().plan().name,
                                     base::shortened(key),
                                     base::did_you_mean(key, known)));
  }
  return {};
}

// Fixed text is appended as it is. JsonWriter would escape the same names for every answer.
void begin_response(const RequestRun& run, std::string_view engine_request_id, std::string& out) {
  out += '{';
  append_ids(run.request().request_id, engine_request_id, out);
  out += R"(,"plan":)";
  out += run.plan().plan_json();
  out += R"(,"candidates":)";
}

void end_response(const RequestRun& run,
                  const runtime::Run& ended,
                  const AnswerFacts& facts,
                  std::string& out) {
  out += R"(,"took_ms":)";
  JsonWriter(out).value(std::chrono::duration<double, std::milli>(facts.took).count());
  if (facts.degraded_count > 0) {
    append_degraded(run, ended, out);
  } else {
    out += R"(,"degraded":{"is":false,"reasons":[]})";
  }
  append_warnings(run, out);
  if (run.pinned() != nullptr) {
    out += R"(,"state":)";
    run.pinned()->append_json(out);
  }
  if (!facts.explain.empty()) out.append(R"(,"explain":)").append(facts.explain);
  if (!facts.trace.empty()) out.append(R"(,"trace":)").append(facts.trace);
  out += '}';
}

void write_error(std::string_view request_id,
                 std::string_view engine_request_id,
                 const RankError& error,
                 BeginError begin,
                 std::string& out) {
  if (begin != nullptr) {
    begin(error, out);
  } else {
    out += '{';
  }
  append_ids(request_id, engine_request_id, out);
  out += R"(,"error":)";
  error.append_json(out);
  out += '}';
}

RankError error_of(const RequestRun& run, const runtime::Run& ended, base::Duration budget) {
  const base::Status status = ended.status();
  RankError error{.code = rank_code_of(status.error().code()),
                  .message = std::string(status.error().message())};
  const plan::CompiledPlan& plan = run.plan().plan();
  // The timeout that holds, that of the process included.
  const auto timeout_of = [&](std::uint32_t index) { return ended.topology().spec(index).timeout; };
  for (const runtime::PendingNode& pending : ended.pending()) {
    const plan::CompiledNode& node = plan.nodes[pending.node];
    error.pending.push_back(
        {.node = node.id,
         .op = node.task->op,
         .was_running = pending.was_running,
         .elapsed = pending.elapsed,
         .budget = std::min(budget, timeout_of(pending.node).value_or(budget))});
  }
  if (!error.pending.empty())
    error.message = base::format("The deadline passed; node '{}' was {}",
                                 error.pending.front().node,
                                 error.pending.front().was_running ? "running" : "waiting");
  const std::uint32_t failed = ended.failed_node();
  if (failed == runtime::kNoNode) return error;
  const plan::CompiledNode& node = plan.nodes[failed];
  error.node = node.id;
  error.op = node.task->op;
  if (const auto timeout = timeout_of(failed);
      timeout && error.code == RankErrorCode::kNodeTimeout) {
    error.pending.push_back({.node = node.id,
                             .op = node.task->op,
                             .was_running = true,
                             .elapsed = *timeout,
                             .budget = *timeout});
  }
  if (node.source.line != 0) {
    error.source = base::format("{}:{}:{}", plan.source_file, node.source.line, node.source.column);
  }
  return error;
}

}  // namespace millrace::rank
