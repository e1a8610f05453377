#include "server/problem.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/format.h"
#include "base/formats/json_writer.h"

namespace millrace::server {
namespace {

constexpr std::size_t kRankErrorCount =
    static_cast<std::size_t>(rank::RankErrorCode::kInternal) + 1;

constexpr auto kProblems = std::to_array<ProblemEntry>({
    {"bad_json",
     400,
     "The body is not JSON",
     "Correct the text at the line and column that `detail` names. A request is one JSON object in "
     "UTF-8."},
    {"bad_request",
     400,
     "The request cannot be read",
     "Send a request that HTTP/1.1 allows; `detail` says which rule it breaks. Proxies and "
     "hand-written clients are the usual cause."},
    {"unauthorized",
     401,
     "The request needs a key",
     "Send `Authorization: Bearer KEY` or `X-Api-Key: KEY` with a key of the server's key file."},
    {"not_allowed",
     403,
     "The operator does not allow this",
     "Leave the field out, or start the server with the flag that `detail` names."},
    {"forbidden",
     403,
     "The key does not allow this",
     "Use a key that covers this plan, or one with `admin = true` for the routes of operators."},
    {"no_route",
     404,
     "There is no such route",
     "Take a route of the HTTP API; `GET /` shows command lines that work."},
    {"unknown_plan",
     404,
     "There is no such plan",
     "Take a name of `GET /v1/plans`. A plan that should be there may have been refused: "
     "`/readyz?verbose` and the log say why."},
    {"unknown_version",
     404,
     "The plan has no such version",
     "Take a version of `GET /v1/plans/{plan}/versions`; the active one and two more are kept."},
    {"method_not_allowed",
     405,
     "The route has no such method",
     "Use a method that the header `Allow` lists."},
    {"request_timeout",
     408,
     "The request took too long to arrive",
     "Send head and body without long pauses; slow clients need larger `server.head_timeout` and "
     "`server.body_timeout`."},
    {"conflict",
     409,
     "The request contradicts the state of the server",
     "Look at the state that `detail` names, then repeat what is still wanted."},
    {"too_large",
     413,
     "The request is too large",
     "Send less: fewer ids, shorter texts, smaller batches. `detail` names the limit."},
    {"uri_too_long",
     414,
     "The target is too long",
     "Use the POST form, which has the fields in its body."},
    {"unsupported_media_type",
     415,
     "The body has a type that is not read here",
     "Send `Content-Type: application/json`, or `application/x-ndjson` for a batch; bodies may be "
     "coded with gzip."},
    {"expectation_failed",
     417,
     "The expectation cannot be met",
     "Send no `Expect`, or `Expect: 100-continue`."},
    {"unknown_field",
     422,
     "The request has a field that is not known",
     "Take the name that the message suggests, or remove the field."},
    {"missing_field", 422, "The request lacks a field", "Add the field that the message names."},
    {"wrong_type",
     422,
     "A field has the wrong type",
     "Give a value of the type that the message names."},
    {"bad_value",
     422,
     "A field has a value that is not allowed",
     "Give a value within the range that the message names."},
    {"plan_mismatch",
     422,
     "The request names another plan than its address",
     "Leave `plan` out of the body, or send the request to the subject or route of that plan."},
    {"unknown_param",
     422,
     "The plan has no such param",
     "Override a param of the registry; the message suggests the closest name."},
    {"unknown_output_key",
     422,
     "The plan has no such column",
     "Ask for a column that the plan's outputs have; `rankd explain PLAN` lists them."},
    {"invalid_plan",
     422,
     "The plan is not valid",
     "Correct what `problems` lists; every code has a line on the page about problems of plans."},
    {"rate_limited",
     429,
     "The key has used up its quota",
     "Wait as long as `Retry-After` says; raise `rate` or `inflight_max` of the key if it needs "
     "more."},
    {"request_header_fields_too_large",
     431,
     "The head of the request is too large",
     "Send fewer or shorter header fields; cookies are the usual cause."},
    {"cancelled",
     499,
     "The client went away",
     "Nothing: nobody was there to read the answer. Many of them mean that callers give up too "
     "early."},
    {"node_failed",
     500,
     "A node of the plan failed",
     "The message names node, op and place in the plan's source. Mend what it says, or give the "
     "node an `on_failure`."},
    {"limit_reached",
     500,
     "A limit of the engine was reached",
     "Fetch or keep fewer rows in the node that is named, or raise `--max_rows` or "
     "`--max_request_memory`."},
    {"response_too_large",
     500,
     "The answer is larger than the transport takes",
     "Ask for fewer candidates or columns, or raise `max_payload` of the NATS servers."},
    {"internal",
     500,
     "The engine has a defect",
     "Report it with the request and the log line that has the same id."},
    {"not_implemented",
     501,
     "The coding is not known",
     "Send the body without a transfer coding other than `chunked`."},
    {"endpoint_unavailable",
     502,
     "A store did not answer",
     "Look whether the store runs and can be reached: `rankd doctor` asks it. A fallback "
     "(`on_failure`) keeps answers coming meanwhile."},
    {"busy",
     503,
     "Too many requests are under way",
     "Try again after `Retry-After`, with growing pauses. If it stays, the process has too little "
     "capacity: see `rankd_shed_total`."},
    {"draining",
     503,
     "The server is about to end",
     "Send it to another replica; this one is about to end."},
    {"deadline_exceeded",
     504,
     "The deadline passed",
     "`pending` names what was not over, longest first. Make that cheaper, give it a timeout with "
     "a fallback, or allow more time."},
    {"node_timeout",
     504,
     "A node took longer than its limit",
     "Make the node that is named cheaper, raise its `timeout_ms`, or give it an `on_failure`."},
    {"http_version_not_supported",
     505,
     "Only HTTP/1.0 and HTTP/1.1 are spoken here",
     "Speak HTTP/1.1; HTTP/2 ends at the proxy in front."},
});

/// The text of a problem up to the value of `detail`, which is the same for all with its code.
struct ProblemBeginning {
  std::string with_status;
  std::string without_status;
};
using ProblemBeginnings = std::array<ProblemBeginning, kProblems.size()>;

ProblemBeginnings make_beginnings() {
  ProblemBeginnings beginnings;
  for (std::size_t index = 0; index < kProblems.size(); ++index) {
    const ProblemEntry& entry = kProblems[index];
    std::string text = R"({"type":"urn:millrace:error:)";
    text.append(entry.code).append(R"(","title":)");
    base::append_json_string(text, entry.title);
    beginnings[index] = {
        .with_status = base::format(R"({},"status":{},"detail":)", text, entry.status),
        .without_status = text + R"(,"detail":)"};
  }
  return beginnings;
}

const ProblemBeginning& beginning_of(const ProblemEntry& entry) {
  static const ProblemBeginnings kBeginnings = make_beginnings();
  return kBeginnings[static_cast<std::size_t>(&entry - kProblems.data())];
}

void begin_problem(const ProblemEntry& entry, std::string_view detail, std::string& out) {
  out += beginning_of(entry).with_status;
  base::append_json_string(out, detail);
}

constexpr std::size_t find_problem(std::string_view code) {
  return static_cast<std::size_t>(std::ranges::find(kProblems, code, &ProblemEntry::code) -
                                  kProblems.begin());
}

}  // namespace

std::span<const ProblemEntry> problem_table() { return kProblems; }

std::string problem_reference() {
  std::string page =
      "<!-- Generated from engine/server/problem.cpp by request_errors_page; do not edit. -->\n"
      "# Errors of requests\n\n"
      "A request that cannot be answered gets one of these codes: from `rankd run` in a line "
      "`{\"error\": {\"code\", \"message\", …}}`,\nover HTTP in a body "
      "`application/problem+json` with the status given here. The list is closed. Codes with "
      "a status below 500 that\nspeak of routes, heads and keys exist over HTTP only.\n";
  for (const ProblemEntry& entry : kProblems) {
    base::format_to(std::back_inserter(page),
                    "\n## `{}`\n\n{} (HTTP status {}).\n\n**What to do.** {}\n",
                    entry.code,
                    entry.title,
                    entry.status,
                    entry.cure);
  }
  return page;
}

const ProblemEntry& problem_of(std::string_view code) {
  const std::size_t place = find_problem(code);
  MR_CHECK(place < kProblems.size(), code);
  return kProblems[place];
}

const ProblemEntry& problem_of(rank::RankErrorCode code) {
  static const auto kPlaces = [] {
    std::array<std::size_t, kRankErrorCount> places{};
    for (const rank::RankErrorEntry& entry : rank::error_table())
      places[static_cast<std::size_t>(entry.code)] = find_problem(entry.name);
    return places;
  }();
  return kProblems[kPlaces[static_cast<std::size_t>(code)]];
}

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

void begin_rank_problem(const rank::RankError& error, std::string& out) {
  begin_problem(problem_of(error.code), error.message, out);
  out += ',';
}

void begin_line_problem(const rank::RankError& error, std::string& out) {
  out += beginning_of(problem_of(error.code)).without_status;
  base::append_json_string(out, error.message);
  out += ',';
}

}  // namespace millrace::server
