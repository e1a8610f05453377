#include "rank/request.h"

#include <expected>
#include <optional>
#include <string_view>

#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"
#include "base/problems/problem_report.h"
#include "rank/request_fields.h"
#include "rank/request_values.h"

namespace millrace::rank {
namespace {

using base::JsonKind;
using base::JsonValue;

RankError from_json_problem(const base::JsonProblem& problem) {
  const bool is_size = problem.code == base::JsonProblemCode::kTooLarge ||
                       problem.code == base::JsonProblemCode::kTooDeep;
  const RankErrorCode code = is_size ? RankErrorCode::kTooLarge : RankErrorCode::kBadJson;
  return to_rank_error(code,
                       {.code = code,
                        .line = problem.place.line,
                        .column = problem.place.column,
                        .message = problem.message});
}

}  // namespace

RequestReader::RequestReader(const RequestLimits& limits) : limits_(limits), reader_(limits.json) {}

std::expected<void, RankError> RequestReader::read(std::string_view text, Request& request) {
  request.clear();
  request.priority = limits_.priority;
  if (auto read = reader_.read(text, request.document); !read)
    return std::unexpected(from_json_problem(read.error()));
  const JsonValue root = request.document.root();
  if (!root.is(JsonKind::kObject)) {
    return std::unexpected(
        RankError{.code = RankErrorCode::kWrongType, .message = "A request must be a JSON object"});
  }
  // The id comes first, so that the answer to a request with a later problem can name it.
  if (const auto id = root.find_member("request_id"))
    request.request_id = id->find_string().value_or(std::string_view());
  RequestFields fields(request, limits_);
  for (const JsonValue member : root.children()) {
    if (auto read = fields.read(member); !read) return read;
  }
  if (!root.find_member("user_id")) {
    return std::unexpected(
        RankError{.code = RankErrorCode::kMissingField, .message = "A request needs 'user_id'"});
  }
  return {};
}

}  // namespace millrace::rank
