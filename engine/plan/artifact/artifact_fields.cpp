#include "plan/artifact/artifact_fields.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "plan/membership.h"
#include "plan/problem.h"

namespace millrace::plan {

using base::JsonKind;
using base::JsonValue;

namespace {

constexpr std::size_t kQuotedBytesMax = 80;

}  // namespace

std::string shortened(std::string_view text) {
  if (text.size() <= kQuotedBytesMax) return std::string(text);
  std::size_t end = kQuotedBytesMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

std::string suggest(std::string_view name, std::span<const std::string_view> candidates) {
  const std::optional<std::string_view> nearest = base::find_nearest(name, candidates);
  return nearest ? base::format("did you mean '{}'?", *nearest) : std::string();
}

bool is_artifact_name(std::string_view text, std::size_t bytes_max) {
  const auto is_control = [](char letter) { return static_cast<unsigned char>(letter) < 0x20; };
  return !text.empty() && text.size() <= bytes_max && text.front() != '$' &&
         std::ranges::none_of(text, is_control);
}

bool ObjectFields::is_object() {
  if (object_.is(JsonKind::kObject)) return true;
  wrong_type("object", object_, where_);
  return false;
}

void ObjectFields::allow_only(std::initializer_list<std::string_view> names) {
  for (const JsonValue member : object_.children()) {
    if (contains(names, member.key())) continue;
    Where where = where_of(member);
    where.offset = member.key_offset();
    reporter_.add(ProblemCode::kUnknownField,
                  where,
                  "Unknown field: " + shortened(member.key()),
                  suggest(member.key(), std::span(names.begin(), names.size())));
  }
}

std::optional<JsonValue> ObjectFields::find_either(std::string_view name,
                                                   std::string_view synonym) {
  const std::optional<JsonValue> first = find(name);
  const std::optional<JsonValue> second = find(synonym);
  if (first && second) {
    reporter_.add(ProblemCode::kDuplicateKey,
                  where_of(*second),
                  base::format("'{}' and '{}' are two spellings of one field", name, synonym));
  }
  return first ? first : second;
}

std::optional<std::string_view> ObjectFields::find_string(std::string_view name) {
  const std::optional<JsonValue> member = find(name);
  if (!member) return std::nullopt;
  const std::optional<std::string_view> text = member->find_string();
  if (!text) wrong_type("string", *member, where_of(*member));
  return text;
}

std::optional<bool> ObjectFields::find_bool(std::string_view name) {
  const std::optional<JsonValue> member = find(name);
  if (!member) return std::nullopt;
  const std::optional<bool> flag = member->find_bool();
  if (!flag) wrong_type("bool", *member, where_of(*member));
  return flag;
}

std::optional<JsonValue> ObjectFields::find_array(std::string_view name) {
  const std::optional<JsonValue> member = find(name);
  if (!member) return std::nullopt;
  if (member->is(JsonKind::kArray)) return member;
  wrong_type("array", *member, where_of(*member));
  return std::nullopt;
}

std::optional<std::size_t> ObjectFields::find_choice(
    std::string_view name, std::initializer_list<std::string_view> names) {
  const std::optional<std::string_view> text = find_string(name);
  if (!text) return std::nullopt;
  const auto* found = std::ranges::find(names, *text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string all;
  for (const std::string_view choice : names) {
    all += (all.empty() ? "one of " : ", ") + std::string(choice);
  }
  reporter_.add(ProblemCode::kBadValue,
                where_of(*find(name)),
                base::format("Unknown {}: {}", name, shortened(*text)),
                std::move(all));
  return std::nullopt;
}

void ObjectFields::missing(std::string_view name) {
  reporter_.add(ProblemCode::kMissingField, where_, base::format("Missing field: {}", name));
}

void ObjectFields::wrong_type(std::string_view expected, JsonValue value, const Where& where) {
  reporter_.add(ProblemCode::kWrongType,
                where,
                base::format("Expected {}, found {}", expected, base::to_string(value.kind())));
}

}  // namespace millrace::plan
