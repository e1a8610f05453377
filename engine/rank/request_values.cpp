#include "rank/request_values.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "base/format.h"
#include "base/problems/message_text.h"

namespace millrace::rank {

using base::JsonKind;

namespace {

std::optional<base::JsonValue> find_step(base::JsonValue value, const RequestStep& step) {
  if (const auto* const name = std::get_if<std::string_view>(&step)) {
    return value.is(JsonKind::kObject) ? value.find_member(*name) : std::nullopt;
  }
  if (!value.is(JsonKind::kArray)) return std::nullopt;
  std::size_t position = 0;
  for (const base::JsonValue item : value.children()) {
    if (position++ == std::get<std::size_t>(step)) return item;
  }
  return std::nullopt;
}

}  // namespace

RankError to_rank_error(RankErrorCode code, const base::Problem& problem) {
  return {.code = code,
          .message = base::format("{}{}{} (line {}, column {})",
                                  problem.message,
                                  problem.hint.empty() ? "" : "; ",
                                  problem.hint,
                                  problem.line,
                                  problem.column)};
}

std::unexpected<RankError> refuse_given(const base::JsonDocument& document,
                                        std::initializer_list<RequestStep> path,
                                        RankErrorCode code,
                                        std::string message) {
  std::optional<base::JsonValue> value = document.root();
  for (const RequestStep& step : path) {
    if (value) value = find_step(*value, step);
  }
  if (value) return RequestValues(document).refuse(code, *value, std::move(message));
  return std::unexpected(RankError{.code = code, .message = std::move(message)});
}

std::unexpected<RankError> RequestValues::refuse(RankErrorCode code,
                                                 base::JsonValue value,
                                                 std::string message,
                                                 std::string hint) const {
  const base::TextPlace place = document_.place(value.offset());
  return std::unexpected(to_rank_error(code,
                                       {.code = code,
                                        .line = place.line,
                                        .column = place.column,
                                        .message = std::move(message),
                                        .hint = std::move(hint)}));
}

std::unexpected<RankError> RequestValues::wrong_type(base::JsonValue value,
                                                     std::string_view name,
                                                     std::string_view wanted) const {
  return refuse(RankErrorCode::kWrongType,
                value,
                base::format("'{}' must be {}, not {}", name, wanted, to_string(value.kind())));
}

RequestOutcome RequestValues::read_text(base::JsonValue value, std::string_view& out) const {
  const auto text = value.find_string();
  if (!text) return wrong_type(value, value.key(), "a string");
  if (text->empty())
    return refuse(RankErrorCode::kBadValue, value, base::format("'{}' is empty", value.key()));
  out = *text;
  return {};
}

RequestOutcome RequestValues::read_id(base::JsonValue value,
                                      std::string_view name,
                                      std::int64_t& out) const {
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

RequestOutcome RequestValues::read_int(base::JsonValue value,
                                       std::string_view name,
                                       std::int64_t most,
                                       std::int64_t& out) const {
  const auto number = value.find_int();
  if (!number && !value.is(JsonKind::kUnsigned)) return wrong_type(value, name, "an integer");
  if (!number || *number < 0 || *number > most) {
    return refuse(
        RankErrorCode::kBadValue, value, base::format("'{}' must be from 0 to {}", name, most));
  }
  out = *number;
  return {};
}

RequestOutcome RequestValues::check_array(base::JsonValue value,
                                          std::size_t count_max,
                                          std::string_view items) const {
  if (!value.is(JsonKind::kArray))
    return wrong_type(value, value.key(), base::format("an array of {}", items));
  if (value.size() <= count_max) return {};
  return refuse(
      RankErrorCode::kTooLarge,
      value,
      base::format(
          "'{}' has {} {}; at most {} are allowed", value.key(), value.size(), items, count_max));
}

RequestOutcome RequestValues::read_ids(base::JsonValue value,
                                       std::size_t count_max,
                                       std::vector<std::int64_t>& out) const {
  if (auto good = check_array(value, count_max, "ids"); !good) return good;
  out.reserve(value.size());
  for (const base::JsonValue item : value.children()) {
    if (auto read = read_id(item, value.key(), out.emplace_back()); !read) return read;
  }
  return {};
}

RequestOutcome RequestValues::read_values(base::JsonValue value,
                                          std::vector<NamedValue>& out) const {
  if (!value.is(JsonKind::kObject)) return wrong_type(value, value.key(), "an object");
  for (const base::JsonValue member : value.children()) {
    rows::Value scalar;
    if (auto read = read_scalar(member, value.key(), scalar); !read) return read;
    out.push_back({member.key(), scalar});
  }
  return {};
}

RequestOutcome RequestValues::read_scalar(base::JsonValue member,
                                          std::string_view name,
                                          rows::Value& out) const {
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

}  // namespace millrace::rank
