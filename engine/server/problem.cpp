#include "server/problem.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/formats/json_writer.h"

namespace millrace::server {
namespace {

constexpr auto kProblems = std::to_array<ProblemEntry>({
    {"bad_json", 400, "The body is not JSON"},
    {"bad_request", 400, "The request cannot be read"},
    {"unauthorized", 401, "The request needs a key"},
    {"not_allowed", 403, "The operator does not allow this"},
    {"forbidden", 403, "The key does not allow this"},
    {"no_route", 404, "There is no such route"},
    {"unknown_plan", 404, "There is no such plan"},
    {"unknown_version", 404, "The plan has no such version"},
    {"method_not_allowed", 405, "The route has no such method"},
    {"request_timeout", 408, "The request took too long to arrive"},
    {"conflict", 409, "The request contradicts the state of the server"},
    {"too_large", 413, "The request is too large"},
    {"uri_too_long", 414, "The target is too long"},
    {"unsupported_media_type", 415, "The body has a type that is not read here"},
    {"expectation_failed", 417, "The expectation cannot be met"},
    {"unknown_field", 422, "The request has a field that is not known"},
    {"missing_field", 422, "The request lacks a field"},
    {"wrong_type", 422, "A field has the wrong type"},
    {"bad_value", 422, "A field has a value that is not allowed"},
    {"plan_mismatch", 422, "The request names another plan than its address"},
    {"unknown_param", 422, "The plan has no such param"},
    {"unknown_output_key", 422, "The plan has no such column"},
    {"invalid_plan", 422, "The plan is not valid"},
    {"rate_limited", 429, "The key has used up its quota"},
    {"request_header_fields_too_large", 431, "The head of the request is too large"},
    {"cancelled", 499, "The client went away"},
    {"node_failed", 500, "A node of the plan failed"},
    {"limit_reached", 500, "A limit of the engine was reached"},
    {"response_too_large", 500, "The answer is larger than the transport takes"},
    {"internal", 500, "The engine has a defect"},
    {"not_implemented", 501, "The coding is not known"},
    {"endpoint_unavailable", 502, "A store did not answer"},
    {"busy", 503, "Too many requests are under way"},
    {"draining", 503, "The server is about to end"},
    {"deadline_exceeded", 504, "The deadline passed"},
    {"node_timeout", 504, "A node took longer than its limit"},
    {"http_version_not_supported", 505, "Only HTTP/1.0 and HTTP/1.1 are spoken here"},
});

void begin_problem(const ProblemEntry& entry, std::string_view detail, std::string& out) {
  out += R"({"type":"urn:millrace:error:)";
  out += entry.code;
  out += R"(","title":)";
  base::append_json_string(out, entry.title);
  out += R"(,"status":)";
  out += std::to_string(entry.status);
  out += R"(,"detail":)";
  base::append_json_string(out, detail);
}

}  // namespace

std::span<const ProblemEntry> problem_table() { return kProblems; }

const ProblemEntry& problem_of(std::string_view code) {
  const auto found = std::ranges::find(kProblems, code, &ProblemEntry::code);
  MR_CHECK(found != kProblems.end(), code);
  return *found;
}

const ProblemEntry& problem_of(rank::RankErrorCode code) { return problem_of(to_string(code)); }

const ProblemEntry& problem_of_status(int status) {
  // 400 has two codes; what a connection refuses is never about JSON.
  if (status == 400) return problem_of("bad_request");
  const auto found = std::ranges::find(kProblems, status, &ProblemEntry::status);
  return found != kProblems.end() ? *found : problem_of("internal");
}

void write_problem(const RequestProblem& problem, const ProblemIds& ids, std::string& out) {
  begin_problem(problem_of(problem.code), problem.detail, out);
  if (!ids.request_id.empty()) {
    out += R"(,"request_id":)";
    base::append_json_string(out, ids.request_id);
  }
  if (!ids.engine_request_id.empty()) {
    out += R"(,"engine_request_id":)";
    base::append_json_string(out, ids.engine_request_id);
  }
  out += R"(,"error":{"code":")";
  out += problem.code;
  out += R"(","message":)";
  base::append_json_string(out, problem.detail);
  out += "}}";
}

std::string_view members_of(std::string_view response) {
  MR_CHECK(response.starts_with('{'), response);
  return response.substr(1);
}

void write_rank_problem(rank::RankErrorCode code,
                        std::string_view detail,
                        std::string_view response,
                        std::string& out) {
  begin_problem(problem_of(code), detail, out);
  out += ',';
  out += members_of(response);
}

}  // namespace millrace::server
