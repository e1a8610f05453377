#include "base/formats/json_builder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/formats/json_document.h"

namespace millrace::base {

JsonBuilder::JsonBuilder(JsonDocument& document, std::string_view text) : document_(document) {
  document_.nodes_.clear();
  document_.strings_.clear();
  document_.text_.assign(text);
}

void JsonBuilder::key(std::string_view name, std::uint32_t offset) {
  key_ = keep(name);
  key_offset_ = offset;
  has_key_ = true;
}

void JsonBuilder::boolean(bool flag, std::uint32_t offset) {
  add(JsonKind::kBool, offset).payload.flag = flag;
}

void JsonBuilder::integer(std::int64_t number, std::uint32_t offset) {
  add(JsonKind::kInt, offset).payload.integer = number;
}

void JsonBuilder::natural(std::uint64_t number, std::uint32_t offset) {
  add(JsonKind::kUnsigned, offset).payload.natural = number;
}

void JsonBuilder::number(double number, std::uint32_t offset) {
  add(JsonKind::kFloat, offset).payload.number = number;
}

void JsonBuilder::string(std::string_view text, std::uint32_t offset) {
  const JsonDocument::Slice kept = keep(text);
  add(JsonKind::kString, offset).payload.text = kept;
}

JsonValue JsonBuilder::end() {
  MR_CHECK(!open_.empty());
  const std::uint32_t index = open_.back();
  open_.pop_back();
  document_.nodes_[index].end = value_count();
  return {&document_, index};
}

void JsonBuilder::repeat(JsonValue value, std::uint32_t offset) {
  const std::uint32_t first = value.index();
  const std::uint32_t last = document_.nodes_[first].end;
  const std::uint32_t shift = value_count() - first;
  const JsonDocument::Payload payload = document_.nodes_[first].payload;
  add(value.kind(), offset).payload = payload;
  document_.nodes_.back().end = last + shift;
  for (std::uint32_t index = first + 1; index < last; ++index) {
    JsonDocument::Node node = document_.nodes_[index];
    node.end += shift;
    document_.nodes_.push_back(node);
  }
}

void JsonBuilder::copy_scalar(JsonValue value) {
  const std::uint32_t offset = value.offset();
  switch (value.kind()) {
    case JsonKind::kBool:
      return boolean(*value.find_bool(), offset);
    case JsonKind::kInt:
      return integer(*value.find_int(), offset);
    case JsonKind::kUnsigned:
      return natural(*value.find_unsigned(), offset);
    case JsonKind::kFloat:
      return number(*value.find_number(), offset);
    case JsonKind::kString:
      return string(*value.find_string(), offset);
    default:
      return null(offset);
  }
}

std::uint32_t JsonBuilder::value_count() const {
  return static_cast<std::uint32_t>(document_.nodes_.size());
}

JsonDocument::Node& JsonBuilder::add(JsonKind kind, std::uint32_t offset) {
  if (!open_.empty()) ++document_.nodes_[open_.back()].payload.child_count;
  JsonDocument::Node& node = document_.nodes_.emplace_back();
  node.kind = kind;
  node.offset = offset;
  node.key_offset = has_key_ ? key_offset_ : offset;
  node.end = value_count();
  if (has_key_) node.key = key_;
  has_key_ = false;
  return node;
}

void JsonBuilder::open(JsonKind kind, std::uint32_t offset) {
  const std::uint32_t index = value_count();
  add(kind, offset).payload.child_count = 0;
  open_.push_back(index);
}

JsonDocument::Slice JsonBuilder::keep(std::string_view text) {
  const JsonDocument::Slice slice{.offset = static_cast<std::uint32_t>(document_.strings_.size()),
                                  .size = static_cast<std::uint32_t>(text.size())};
  document_.strings_.append(text);
  return slice;
}

std::optional<JsonValue> find_repeated_key(JsonValue object) {
  constexpr std::size_t kPairwiseMax = 16;
  std::vector<std::string_view> names;
  for (const JsonValue member : object.children()) {
    const bool is_small = names.size() < kPairwiseMax;
    if (is_small && std::ranges::find(names, member.key()) != names.end()) return member;
    names.push_back(member.key());
  }
  if (names.size() <= kPairwiseMax) return std::nullopt;
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return std::nullopt;
  bool seen = false;
  for (const JsonValue member : object.children()) {
    if (member.key() != *twice) continue;
    if (seen) return member;
    seen = true;
  }
  return std::nullopt;
}

}  // namespace millrace::base
