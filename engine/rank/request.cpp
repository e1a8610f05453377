#include "rank/request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/problems/message_text.h"
#include "base/problems/problem_report.h"

namespace millrace::rank {
namespace {

using base::JsonKind;
using base::JsonValue;
using Outcome = std::expected<void, RankError>;

constexpr double kDeadlineMsMax = 3'600'000;
constexpr std::int64_t kInlineThresholdNsMax = 3'600'000'000'000;
constexpr std::int64_t kInlineDepthMax = 1'000'000;

// The failure that a caller sees for a problem of the request's text.
RankError to_rank_error(RankErrorCode code, const base::Problem& problem) {
  return {.code = code,
          .message = base::format("{}{}{} (line {}, column {})",
                                  problem.message,
                                  problem.hint.empty() ? "" : "; ",
                                  problem.hint,
                                  problem.line,
                                  problem.column)};
}

// Reads the fields of a request in one pass: each member is handed to the method of its name.
//
// It does not use `base::ObjectReader`, which looks up every field by name, builds the path of
// every value and goes on after a problem. That would cost time in every good request, and a
// refused one reports its first problem only. Problems, suggestions and the names of types are
// those of `base`.
class RequestFields {
 public:
  RequestFields(Request& request, const RequestLimits& limits)
      : request_(request), limits_(limits) {}

  [[nodiscard]] Outcome read(JsonValue member);
  [[nodiscard]] static std::vector<std::string_view> names();

 private:
  using Read = Outcome (RequestFields::*)(JsonValue);
  struct Field {
    std::string_view name;
    Read read;
  };
  static const std::array<Field, 17> kFields;

  [[nodiscard]] Outcome read_request_id(JsonValue value);
  [[nodiscard]] Outcome read_user_id(JsonValue value);
  [[nodiscard]] Outcome read_plan(JsonValue value);
  [[nodiscard]] Outcome read_plan_version(JsonValue value);
  [[nodiscard]] Outcome read_fragment_versions(JsonValue value);
  [[nodiscard]] Outcome read_params(JsonValue value);
  [[nodiscard]] Outcome read_param_overrides(JsonValue value);
  [[nodiscard]] Outcome read_deadline(JsonValue value);
  [[nodiscard]] Outcome read_limit(JsonValue value);
  [[nodiscard]] Outcome read_exclude(JsonValue value);
  [[nodiscard]] Outcome read_output_keys(JsonValue value);
  [[nodiscard]] Outcome read_candidates(JsonValue value);
  [[nodiscard]] Outcome read_candidate(JsonValue value, tasks::RequestCandidates& out);
  [[nodiscard]] Outcome read_priority(JsonValue value);
  [[nodiscard]] Outcome read_seed(JsonValue value);
  [[nodiscard]] Outcome read_explain(JsonValue value);
  [[nodiscard]] Outcome read_trace(JsonValue value);
  [[nodiscard]] Outcome read_scheduling(JsonValue value);

  [[nodiscard]] Outcome read_text(JsonValue value, std::string_view& out);
  [[nodiscard]] Outcome read_id(JsonValue value, std::string_view name, std::int64_t& out);
  // Checks that a field is an array of at most so many items.
  [[nodiscard]] Outcome check_array(JsonValue value, std::size_t count_max, std::string_view items);
  [[nodiscard]] Outcome read_ids(JsonValue value,
                                 std::size_t count_max,
                                 std::vector<std::int64_t>& out);
  [[nodiscard]] Outcome read_values(JsonValue value, std::vector<NamedValue>& out);
  // Reads a member of an object that stands under `name`.
  [[nodiscard]] Outcome read_scalar(JsonValue member, std::string_view name, rows::Value& out);
  // Refuses the request because of `value`.
  [[nodiscard]] std::unexpected<RankError> refuse(RankErrorCode code,
                                                  JsonValue value,
                                                  std::string message,
                                                  std::string hint = {}) const;
  [[nodiscard]] std::unexpected<RankError> wrong_type(JsonValue value,
                                                      std::string_view name,
                                                      std::string_view wanted) const;

  Request& request_;
  const RequestLimits& limits_;
};

const std::array<RequestFields::Field, 17> RequestFields::kFields = {{
    {"request_id", &RequestFields::read_request_id},
    {"user_id", &RequestFields::read_user_id},
    {"plan", &RequestFields::read_plan},
    {"params", &RequestFields::read_params},
    {"param_overrides", &RequestFields::read_param_overrides},
    {"deadline_ms", &RequestFields::read_deadline},
    {"limit", &RequestFields::read_limit},
    {"exclude", &RequestFields::read_exclude},
    {"output_keys", &RequestFields::read_output_keys},
    {"candidates", &RequestFields::read_candidates},
    {"priority", &RequestFields::read_priority},
    {"plan_version", &RequestFields::read_plan_version},
    {"fragment_versions", &RequestFields::read_fragment_versions},
    {"seed", &RequestFields::read_seed},
    {"explain", &RequestFields::read_explain},
    {"trace", &RequestFields::read_trace},
    {"scheduling", &RequestFields::read_scheduling},
}};

std::vector<std::string_view> RequestFields::names() {
  std::vector<std::string_view> all;
  for (const Field& field : kFields) all.push_back(field.name);
  return all;
}

Outcome RequestFields::read(JsonValue member) {
  const auto field = std::find_if(kFields.begin(), kFields.end(), [&](const Field& candidate) {
    return candidate.name == member.key();
  });
  if (field == kFields.end()) {
    return refuse(RankErrorCode::kUnknownField,
                  member,
                  base::format("A request has no field '{}'", base::shortened(member.key())),
                  base::suggestion(member.key(), names()));
  }
  return (this->*field->read)(member);
}

std::unexpected<RankError> RequestFields::refuse(RankErrorCode code,
                                                 JsonValue value,
                                                 std::string message,
                                                 std::string hint) const {
  const base::TextPlace place = request_.document.place(value.offset());
  return std::unexpected(to_rank_error(code,
                                       {.code = code,
                                        .line = place.line,
                                        .column = place.column,
                                        .message = std::move(message),
                                        .hint = std::move(hint)}));
}

std::unexpected<RankError> RequestFields::wrong_type(JsonValue value,
                                                     std::string_view name,
                                                     std::string_view wanted) const {
  return refuse(RankErrorCode::kWrongType,
                value,
                base::format("'{}' must be {}, not {}", name, wanted, to_string(value.kind())));
}

Outcome RequestFields::read_text(JsonValue value, std::string_view& out) {
  const auto text = value.find_string();
  if (!text) return wrong_type(value, value.key(), "a string");
  if (text->empty())
    return refuse(RankErrorCode::kBadValue, value, base::format("'{}' is empty", value.key()));
  out = *text;
  return {};
}

Outcome RequestFields::read_id(JsonValue value, std::string_view name, std::int64_t& out) {
  if (const auto number = value.find_int()) {
    out = *number;
    return {};
  }
  // Languages whose numbers are doubles send ids beyond 2^53 as text.
  if (const auto text = value.find_string()) {
    const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), out);
    if (problem == std::errc() && end == text->data() + text->size()) return {};
    return refuse(
        RankErrorCode::kBadValue,
        value,
        base::format("'{}' is not a 64-bit integer: \"{}\"", name, base::shortened(*text)));
  }
  if (value.is(JsonKind::kUnsigned))
    return refuse(RankErrorCode::kBadValue, value, base::format("'{}' is beyond int64", name));
  return wrong_type(value, name, "an integer, or one in a string");
}

Outcome RequestFields::check_array(JsonValue value, std::size_t count_max, std::string_view items) {
  if (!value.is(JsonKind::kArray))
    return wrong_type(value, value.key(), base::format("an array of {}", items));
  if (value.size() <= count_max) return {};
  return refuse(
      RankErrorCode::kTooLarge,
      value,
      base::format(
          "'{}' has {} {}; at most {} are allowed", value.key(), value.size(), items, count_max));
}

Outcome RequestFields::read_ids(JsonValue value,
                                std::size_t count_max,
                                std::vector<std::int64_t>& out) {
  if (auto good = check_array(value, count_max, "ids"); !good) return good;
  out.reserve(value.size());
  for (const JsonValue item : value.children()) {
    if (auto read = read_id(item, value.key(), out.emplace_back()); !read) return read;
  }
  return {};
}

Outcome RequestFields::read_values(JsonValue value, std::vector<NamedValue>& out) {
  if (!value.is(JsonKind::kObject)) return wrong_type(value, value.key(), "an object");
  for (const JsonValue member : value.children()) {
    rows::Value scalar;
    if (auto read = read_scalar(member, value.key(), scalar); !read) return read;
    out.push_back({member.key(), scalar});
  }
  return {};
}

Outcome RequestFields::read_scalar(JsonValue member, std::string_view name, rows::Value& out) {
  switch (member.kind()) {
    case JsonKind::kNull:
      return {};
    case JsonKind::kBool:
      out = *member.find_bool();
      return {};
    case JsonKind::kInt:
      out = *member.find_int();
      return {};
    case JsonKind::kFloat:
      out = *member.find_number();
      return {};
    case JsonKind::kString:
      out = *member.find_string();
      return {};
    case JsonKind::kUnsigned:
      return refuse(RankErrorCode::kBadValue,
                    member,
                    base::format("'{}.{}' is beyond int64", name, base::shortened(member.key())));
    case JsonKind::kArray:
    case JsonKind::kObject:
      break;
  }
  return wrong_type(member,
                    base::format("{}.{}", name, base::shortened(member.key())),
                    "null, a bool, a number or a string");
}

Outcome RequestFields::read_request_id(JsonValue value) {
  return read_text(value, request_.request_id);
}

Outcome RequestFields::read_user_id(JsonValue value) {
  return read_id(value, "user_id", request_.user_id);
}

Outcome RequestFields::read_plan(JsonValue value) { return read_text(value, request_.plan); }

Outcome RequestFields::read_plan_version(JsonValue value) {
  return read_text(value, request_.plan_version);
}

Outcome RequestFields::read_fragment_versions(JsonValue value) {
  return read_values(value, request_.fragment_versions);
}

Outcome RequestFields::read_params(JsonValue value) { return read_values(value, request_.params); }

Outcome RequestFields::read_param_overrides(JsonValue value) {
  return read_values(value, request_.param_overrides);
}

Outcome RequestFields::read_deadline(JsonValue value) {
  const auto ms = value.find_number();
  if (!ms) return wrong_type(value, "deadline_ms", "a number of milliseconds");
  if (!(*ms > 0) || *ms > kDeadlineMsMax) {
    return refuse(
        RankErrorCode::kBadValue, value, "'deadline_ms' must be above 0 and at most one hour");
  }
  request_.deadline =
      std::chrono::duration_cast<base::Duration>(std::chrono::duration<double, std::milli>(*ms));
  return {};
}

Outcome RequestFields::read_limit(JsonValue value) {
  const auto count = value.find_int();
  if (!count) return wrong_type(value, "limit", "an integer");
  if (*count < 0) return refuse(RankErrorCode::kBadValue, value, "'limit' must not be negative");
  request_.limit = *count;
  return {};
}

Outcome RequestFields::read_exclude(JsonValue value) {
  std::vector<std::int64_t>& ids = request_.exclude;
  if (auto read = read_ids(value, limits_.exclude_max, ids); !read) return read;
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return {};
}

Outcome RequestFields::read_output_keys(JsonValue value) {
  if (auto good = check_array(value, limits_.output_keys_max, "strings"); !good) return good;
  std::vector<std::string_view>& keys = request_.output_keys.emplace();
  for (const JsonValue item : value.children()) {
    const auto key = item.find_string();
    if (!key) return wrong_type(item, "output_keys", "an array of strings");
    if (std::find(keys.begin(), keys.end(), *key) != keys.end()) {
      return refuse(RankErrorCode::kBadValue,
                    item,
                    base::format("'output_keys' names '{}' twice", base::shortened(*key)));
    }
    keys.push_back(*key);
  }
  return {};
}

Outcome RequestFields::read_candidates(JsonValue value) {
  if (auto good = check_array(value, limits_.candidates_max, "ids and objects"); !good) return good;
  tasks::RequestCandidates& out = request_.candidates.emplace();
  for (const JsonValue item : value.children()) {
    if (auto read = read_candidate(item, out); !read) return read;
  }
  return {};
}

Outcome RequestFields::read_candidate(JsonValue value, tasks::RequestCandidates& out) {
  const bool has_keys = value.is(JsonKind::kObject);
  const auto id_value = has_keys ? value.find_member("id") : std::optional(value);
  if (!id_value)
    return refuse(RankErrorCode::kMissingField, value, "An object of 'candidates' needs 'id'");
  std::int64_t id = 0;
  const std::string_view name = has_keys ? "candidates.id" : "candidates";
  if (auto read = read_id(*id_value, name, id); !read) return read;
  out.add_row(id);
  if (!has_keys) return {};
  for (const JsonValue member : value.children()) {
    if (member.key() == "id") continue;
    rows::Value scalar;
    if (auto read = read_scalar(member, "candidates", scalar); !read) return read;
    out.set(member.key(), scalar);
  }
  return {};
}

Outcome RequestFields::read_priority(JsonValue value) {
  constexpr auto kNames = std::to_array<std::string_view>({"high", "normal", "low", "background"});
  const auto text = value.find_string();
  if (!text) return wrong_type(value, "priority", "a string");
  const auto name = std::find(kNames.begin(), kNames.end(), *text);
  if (name == kNames.end()) {
    return refuse(
        RankErrorCode::kBadValue, value, "'priority' must be high, normal, low or background");
  }
  request_.priority = static_cast<runtime::Priority>(name - kNames.begin());
  return {};
}

Outcome RequestFields::read_seed(JsonValue value) {
  const auto seed = value.find_unsigned();
  if (!seed) return wrong_type(value, "seed", "an integer that is not negative");
  request_.seed = *seed;
  return {};
}

Outcome RequestFields::read_explain(JsonValue value) {
  if (!value.is(JsonKind::kObject)) return wrong_type(value, "explain", "an object with 'ids'");
  for (const JsonValue member : value.children()) {
    if (member.key() != "ids") {
      return refuse(
          RankErrorCode::kUnknownField,
          member,
          base::format("'explain' has no field '{}', only 'ids'", base::shortened(member.key())));
    }
    auto read = read_ids(member, limits_.explain_ids_max, request_.explain_ids.emplace());
    if (!read) return read;
  }
  if (!request_.explain_ids)
    return refuse(RankErrorCode::kMissingField, value, "'explain' needs 'ids'");
  return {};
}

Outcome RequestFields::read_trace(JsonValue value) {
  const auto flag = value.find_bool();
  if (!flag) return wrong_type(value, "trace", "true or false");
  request_.trace = *flag;
  return {};
}

Outcome RequestFields::read_scheduling(JsonValue value) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"enable_inline_execution", "inline_threshold_ns", "max_inline_depth"});
  if (!value.is(JsonKind::kObject)) return wrong_type(value, "scheduling", "an object");
  for (const JsonValue member : value.children()) {
    if (member.key() == kNames[0]) {
      const auto flag = member.find_bool();
      if (!flag) return wrong_type(member, "scheduling.enable_inline_execution", "true or false");
      request_.scheduling.enable_inline_execution = *flag;
      continue;
    }
    if (member.key() != kNames[1] && member.key() != kNames[2]) {
      return refuse(RankErrorCode::kUnknownField,
                    member,
                    base::format("'scheduling' has no field '{}'", base::shortened(member.key())),
                    base::suggestion(member.key(), kNames));
    }
    const auto number = member.find_int();
    if (!number) {
      return wrong_type(member, base::format("scheduling.{}", member.key()), "an integer");
    }
    const bool is_time = member.key() == kNames[1];
    const std::int64_t most = is_time ? kInlineThresholdNsMax : kInlineDepthMax;
    if (*number < 0 || *number > most) {
      return refuse(RankErrorCode::kBadValue,
                    member,
                    base::format("'scheduling.{}' must be from 0 to {}", member.key(), most));
    }
    if (is_time) {
      request_.scheduling.inline_threshold = base::Duration(*number);
    } else {
      request_.scheduling.max_inline_depth = static_cast<std::uint32_t>(*number);
    }
  }
  return {};
}

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

void Request::clear() {
  request_id = {};
  user_id = 0;
  plan = {};
  plan_version = {};
  fragment_versions.clear();
  params.clear();
  param_overrides.clear();
  deadline.reset();
  limit.reset();
  exclude.clear();
  output_keys.reset();
  candidates.reset();
  priority = runtime::Priority::kNormal;
  seed = 0;
  explain_ids.reset();
  trace = false;
  scheduling = {};
}

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
