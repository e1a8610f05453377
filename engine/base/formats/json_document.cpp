#include "base/formats/json_document.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace millrace::base {

std::string_view to_string(JsonKind kind, DocumentSyntax syntax) {
  const bool is_toml = syntax == DocumentSyntax::kToml;
  switch (kind) {
    case JsonKind::kNull:
      return is_toml ? "date" : "null";
    case JsonKind::kBool:
      return "bool";
    case JsonKind::kInt:
    case JsonKind::kUnsigned:
      return "int";
    case JsonKind::kFloat:
      return is_toml ? "float" : "number";
    case JsonKind::kString:
      return "string";
    case JsonKind::kArray:
      return "array";
    case JsonKind::kObject:
      return is_toml ? "table" : "object";
  }
  return "?";
}

std::uint32_t JsonValue::end_index() const { return document_->nodes_[index_].end; }

JsonKind JsonValue::kind() const { return document_->nodes_[index_].kind; }

std::uint32_t JsonValue::size() const {
  const bool has_children = is(JsonKind::kArray) || is(JsonKind::kObject);
  return has_children ? document_->nodes_[index_].payload.child_count : 0;
}

std::string_view JsonValue::key() const { return document_->slice(document_->nodes_[index_].key); }

std::uint32_t JsonValue::key_offset() const { return document_->nodes_[index_].key_offset; }

std::uint32_t JsonValue::offset() const { return document_->nodes_[index_].offset; }

std::optional<bool> JsonValue::find_bool() const {
  if (!is(JsonKind::kBool)) return std::nullopt;
  return document_->nodes_[index_].payload.flag;
}

std::optional<std::int64_t> JsonValue::find_int() const {
  if (!is(JsonKind::kInt)) return std::nullopt;
  return document_->nodes_[index_].payload.integer;
}

std::optional<std::uint64_t> JsonValue::find_unsigned() const {
  if (is(JsonKind::kUnsigned)) return document_->nodes_[index_].payload.natural;
  const std::optional<std::int64_t> integer = find_int();
  if (!integer || *integer < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*integer);
}

std::optional<double> JsonValue::find_number() const {
  const JsonDocument::Payload& payload = document_->nodes_[index_].payload;
  switch (kind()) {
    case JsonKind::kInt:
      return static_cast<double>(payload.integer);
    case JsonKind::kUnsigned:
      return static_cast<double>(payload.natural);
    case JsonKind::kFloat:
      return payload.number;
    default:
      return std::nullopt;
  }
}

std::optional<std::string_view> JsonValue::find_string() const {
  if (!is(JsonKind::kString)) return std::nullopt;
  return document_->slice(document_->nodes_[index_].payload.text);
}

std::optional<JsonValue> JsonValue::find_member(std::string_view name) const {
  if (!is(JsonKind::kObject)) return std::nullopt;
  for (const JsonValue member : children()) {
    if (member.key() == name) return member;
  }
  return std::nullopt;
}

JsonValue::Range JsonValue::children() const {
  const bool has_children = is(JsonKind::kArray) || is(JsonKind::kObject);
  const std::uint32_t end = document_->nodes_[index_].end;
  return {.first = Iterator(document_, has_children ? index_ + 1 : end),
          .last = Iterator(document_, end)};
}

JsonValue::Iterator& JsonValue::Iterator::operator++() {
  index_ = document_->nodes_[index_].end;
  return *this;
}

}  // namespace millrace::base
