#include "rank/request_fields.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/problems/message_text.h"
#include "runtime/topology/node.h"

namespace millrace::rank {

using base::JsonKind;

namespace {

constexpr double kDeadlineMsMax = 3'600'000;
constexpr std::int64_t kInlineThresholdNsMax = 3'600'000'000'000;
constexpr std::int64_t kInlineDepthMax = 1'000'000;

}  // namespace

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

namespace {

// The field that is nearest, or the one that the name begins, as `user` does `user_id`.
std::string meant_field(std::string_view name, std::span<const std::string_view> fields) {
  if (std::string nearest = base::suggestion(name, fields); !nearest.empty()) return nearest;
  constexpr std::size_t kLettersMin = 3;
  for (const std::string_view field : fields) {
    if (name.size() >= kLettersMin && field.starts_with(name))
      return base::format("did you mean '{}'?", field);
  }
  return {};
}

}  // namespace

RequestOutcome RequestFields::read(base::JsonValue member) {
  const auto field = std::find_if(kFields.begin(), kFields.end(), [&](const Field& candidate) {
    return candidate.name == member.key();
  });
  if (field == kFields.end()) {
    return values_.refuse(
        RankErrorCode::kUnknownField,
        member,
        base::format("A request has no field '{}'", base::shortened(member.key())),
        meant_field(member.key(), names()));
  }
  return (this->*field->read)(member);
}

RequestOutcome RequestFields::read_request_id(base::JsonValue value) {
  return values_.read_text(value, request_.request_id);
}

RequestOutcome RequestFields::read_user_id(base::JsonValue value) {
  return values_.read_id(value, "user_id", request_.user_id);
}

RequestOutcome RequestFields::read_plan(base::JsonValue value) {
  return values_.read_text(value, request_.plan);
}

RequestOutcome RequestFields::read_plan_version(base::JsonValue value) {
  return values_.read_text(value, request_.plan_version);
}

RequestOutcome RequestFields::read_fragment_versions(base::JsonValue value) {
  return values_.read_values(value, request_.fragment_versions);
}

RequestOutcome RequestFields::read_params(base::JsonValue value) {
  return values_.read_values(value, request_.params);
}

RequestOutcome RequestFields::read_param_overrides(base::JsonValue value) {
  return values_.read_values(value, request_.param_overrides);
}

RequestOutcome RequestFields::read_deadline(base::JsonValue value) {
  const auto ms = value.find_number();
  if (!ms) return values_.wrong_type(value, "deadline_ms", "a number of milliseconds");
  if (!(*ms > 0) || *ms > kDeadlineMsMax) {
    return values_.refuse(
        RankErrorCode::kBadValue, value, "'deadline_ms' must be above 0 and at most one hour");
  }
  request_.deadline =
      std::chrono::duration_cast<base::Duration>(std::chrono::duration<double, std::milli>(*ms));
  return {};
}

RequestOutcome RequestFields::read_limit(base::JsonValue value) {
  return values_.read_int(
      value, "limit", std::numeric_limits<std::int64_t>::max(), request_.limit.emplace());
}

RequestOutcome RequestFields::read_exclude(base::JsonValue value) {
  std::vector<std::int64_t>& ids = request_.exclude;
  if (auto read = values_.read_ids(value, limits_.exclude_max, ids); !read) return read;
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return {};
}

RequestOutcome RequestFields::read_output_keys(base::JsonValue value) {
  if (auto good = values_.check_array(value, limits_.output_keys_max, "strings"); !good)
    return good;
  std::vector<std::string_view>& keys = request_.output_keys.emplace();
  for (const base::JsonValue item : value.children()) {
    const auto key = item.find_string();
    if (!key) return values_.wrong_type(item, "output_keys", "an array of strings");
    if (std::find(keys.begin(), keys.end(), *key) != keys.end()) {
      return values_.refuse(RankErrorCode::kBadValue,
                            item,
                            base::format("'output_keys' names '{}' twice", base::shortened(*key)));
    }
    keys.push_back(*key);
  }
  return {};
}

RequestOutcome RequestFields::read_candidates(base::JsonValue value) {
  if (auto good = values_.check_array(value, limits_.candidates_max, "ids and objects"); !good)
    return good;
  tasks::RequestCandidates& out = request_.candidates.emplace();
  for (const base::JsonValue item : value.children()) {
    if (auto read = read_candidate(item, out); !read) return read;
  }
  return {};
}

RequestOutcome RequestFields::read_candidate(base::JsonValue value, tasks::RequestCandidates& out) {
  const bool has_keys = value.is(JsonKind::kObject);
  const auto id_value = has_keys ? value.find_member("id") : std::optional(value);
  if (!id_value)
    return values_.refuse(
        RankErrorCode::kMissingField, value, "An object of 'candidates' needs 'id'");
  std::int64_t id = 0;
  const std::string_view name = has_keys ? "candidates.id" : "candidates";
  if (auto read = values_.read_id(*id_value, name, id); !read) return read;
  out.add_row(id);
  if (!has_keys) return {};
  for (const base::JsonValue member : value.children()) {
    if (member.key() == "id") continue;
    rows::Value scalar;
    if (auto read = values_.read_scalar(member, "candidates", scalar); !read) return read;
    out.set(member.key(), scalar);
  }
  return {};
}

RequestOutcome RequestFields::read_priority(base::JsonValue value) {
  constexpr auto kNames = std::to_array<std::string_view>({"high", "normal", "low", "background"});
  const auto text = value.find_string();
  if (!text) return values_.wrong_type(value, "priority", "a string");
  const auto name = std::find(kNames.begin(), kNames.end(), *text);
  if (name == kNames.end()) {
    return values_.refuse(
        RankErrorCode::kBadValue, value, "'priority' must be high, normal, low or background");
  }
  request_.priority = static_cast<runtime::Priority>(name - kNames.begin());
  return {};
}

RequestOutcome RequestFields::read_seed(base::JsonValue value) {
  const auto seed = value.find_unsigned();
  if (!seed) return values_.wrong_type(value, "seed", "an integer that is not negative");
  request_.seed = *seed;
  return {};
}

RequestOutcome RequestFields::read_explain(base::JsonValue value) {
  if (!value.is(JsonKind::kObject))
    return values_.wrong_type(value, "explain", "an object with 'ids'");
  for (const base::JsonValue member : value.children()) {
    if (member.key() != "ids") {
      return values_.refuse(
          RankErrorCode::kUnknownField,
          member,
          base::format("'explain' has no field '{}', only 'ids'", base::shortened(member.key())));
    }
    auto read = values_.read_ids(member, limits_.explain_ids_max, request_.explain_ids.emplace());
    if (!read) return read;
  }
  if (!request_.explain_ids)
    return values_.refuse(RankErrorCode::kMissingField, value, "'explain' needs 'ids'");
  return {};
}

RequestOutcome RequestFields::read_trace(base::JsonValue value) {
  const auto flag = value.find_bool();
  if (!flag) return values_.wrong_type(value, "trace", "true or false");
  request_.trace = *flag;
  return {};
}

RequestOutcome RequestFields::read_scheduling(base::JsonValue value) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"enable_inline_execution", "inline_threshold_ns", "max_inline_depth"});
  if (!value.is(JsonKind::kObject)) return values_.wrong_type(value, "scheduling", "an object");
  for (const base::JsonValue member : value.children()) {
    if (member.key() == kNames[0]) {
      const auto flag = member.find_bool();
      if (!flag)
        return values_.wrong_type(member, "scheduling.enable_inline_execution", "true or false");
      request_.scheduling.enable_inline_execution = *flag;
      continue;
    }
    if (member.key() != kNames[1] && member.key() != kNames[2]) {
      return values_.refuse(
          RankErrorCode::kUnknownField,
          member,
          base::format("'scheduling' has no field '{}'", base::shortened(member.key())),
          base::suggestion(member.key(), kNames));
    }
    const bool is_time = member.key() == kNames[1];
    const std::int64_t most = is_time ? kInlineThresholdNsMax : kInlineDepthMax;
    std::int64_t number = 0;
    if (auto read =
            values_.read_int(member, base::format("scheduling.{}", member.key()), most, number);
        !read)
      return read;
    if (is_time) {
      request_.scheduling.inline_threshold = base::Duration(number);
    } else {
      request_.scheduling.max_inline_depth = static_cast<std::uint32_t>(number);
    }
  }
  return {};
}

}  // namespace millrace::rank
