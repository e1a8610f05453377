#include "rank/rank_error.h"

#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include "base/append_texts.h"
#include "base/formats/json_writer.h"

namespace millrace::rank {
namespace {

constexpr auto kTable = std::to_array<RankErrorEntry>({
    {RankErrorCode::kBadJson, "bad_json", "The line is not one JSON object in valid UTF-8."},
    {RankErrorCode::kTooLarge,
     "too_large",
     "The request exceeds a limit on bytes, depth or items."},
    {RankErrorCode::kUnknownField, "unknown_field", "The request has a field that does not exist."},
    {RankErrorCode::kMissingField, "missing_field", "A required field is absent."},
    {RankErrorCode::kWrongType, "wrong_type", "A field has a value of another type."},
    {RankErrorCode::kBadValue, "bad_value", "A field has a value outside its range."},
    {RankErrorCode::kPlanMismatch,
     "plan_mismatch",
     "The request names another plan than the address it was sent to."},
    {RankErrorCode::kUnknownPlan, "unknown_plan", "No plan of that name is loaded."},
    {RankErrorCode::kUnknownVersion,
     "unknown_version",
     "The plan, or one of its fragments, has no such version."},
    {RankErrorCode::kUnknownParam,
     "unknown_param",
     "An override names a param that is not registered."},
    {RankErrorCode::kUnknownOutputKey,
     "unknown_output_key",
     "The plan's outputs have no such column."},
    {RankErrorCode::kNotAllowed,
     "not_allowed",
     "The operator has switched this off, or the key does not cover it."},
    {RankErrorCode::kBusy, "busy", "Too much is under way; trying later may work."},
    {RankErrorCode::kCancelled, "cancelled", "The caller went away."},
    {RankErrorCode::kDeadlineExceeded,
     "deadline_exceeded",
     "The deadline passed before the outputs were there."},
    {RankErrorCode::kNodeTimeout, "node_timeout", "A required node took longer than its limit."},
    {RankErrorCode::kNodeFailed, "node_failed", "A required node failed."},
    {RankErrorCode::kEndpointUnavailable,
     "endpoint_unavailable",
     "A required node could not reach its endpoint."},
    {RankErrorCode::kLimitReached, "limit_reached", "A required node ran into a stated limit."},
    {RankErrorCode::kInternal, "internal", "A defect of the engine; please report it."},
});

}  // namespace

std::span<const RankErrorEntry> error_table() { return kTable; }

std::string_view to_string(RankErrorCode code) {
  return kTable[static_cast<std::size_t>(code)].name;
}

namespace {

double milliseconds_of(base::Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

// Nothing for a text that is empty.
void append_member(std::string_view key, std::string_view text, std::string& out) {
  if (text.empty()) return;
  out += key;
  base::append_json_string(out, text);
}

void write_pending(const PendingWork& work, base::JsonWriter& json) {
  json.begin_object();
  json.member("node", work.node);
  json.member("op", work.op);
  json.member("state", work.was_running ? "running" : "waiting");
  if (work.elapsed > base::Duration::zero())
    json.member("elapsed_ms", milliseconds_of(work.elapsed));
  json.member("budget_ms", milliseconds_of(work.budget));
  json.end_object();
}

}  // namespace

void RankError::append_json(std::string& out) const {
  base::append_texts(out, R"({"code":")", to_string(code), R"(","message":)");
  base::append_json_string(out, message);
  append_member(R"(,"node":)", node, out);
  append_member(R"(,"op":)", op, out);
  append_member(R"(,"source":)", source, out);
  if (!pending.empty()) {
    out += R"(,"pending":)";
    base::JsonWriter json(out);
    json.begin_array();
    for (const PendingWork& work : pending) write_pending(work, json);
    json.end_array();
  }
  out += '}';
}

RankOutcome outcome_of(RankErrorCode code) {
  switch (code) {
    case RankErrorCode::kBusy:
      return RankOutcome::kRefused;
    case RankErrorCode::kCancelled:
      return RankOutcome::kCancelled;
    case RankErrorCode::kDeadlineExceeded:
      return RankOutcome::kDeadline;
    case RankErrorCode::kNodeTimeout:
    case RankErrorCode::kNodeFailed:
    case RankErrorCode::kEndpointUnavailable:
    case RankErrorCode::kLimitReached:
    case RankErrorCode::kInternal:
      return RankOutcome::kError;
    default:
      return RankOutcome::kInvalid;
  }
}

RankErrorCode rank_code_of(base::ErrorCode code) {
  switch (code) {
    case base::ErrorCode::kBusy:
      return RankErrorCode::kBusy;
    case base::ErrorCode::kCancelled:
      return RankErrorCode::kCancelled;
    case base::ErrorCode::kDeadlineExceeded:
      return RankErrorCode::kDeadlineExceeded;
    case base::ErrorCode::kTimeout:
      return RankErrorCode::kNodeTimeout;
    case base::ErrorCode::kUnavailable:
      return RankErrorCode::kEndpointUnavailable;
    case base::ErrorCode::kResourceExhausted:
      return RankErrorCode::kLimitReached;
    case base::ErrorCode::kInternal:
      return RankErrorCode::kInternal;
    default:
      return RankErrorCode::kNodeFailed;
  }
}

}  // namespace millrace::rank
