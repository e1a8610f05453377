#include "stores/http/http_value.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"
#include "base/result.h"
#include "rows/column.h"
#include "rows/dictionary.h"
#include "rows/row_scratch.h"
#include "stores/store_task.h"

namespace millrace::stores {
namespace {

using base::JsonKind;
using base::JsonValue;
using rows::Array;
using rows::ColumnType;
using Kind = HttpValue::Kind;

HttpValue value_of(JsonValue json) {
  switch (json.kind()) {
    case JsonKind::kNull:
      return {};
    case JsonKind::kBool:
      return {.kind = Kind::kBool, .flag = *json.find_bool()};
    case JsonKind::kInt:
      return {.kind = Kind::kInt, .integer = *json.find_int()};
    case JsonKind::kUnsigned:
    case JsonKind::kFloat:
      return {.kind = Kind::kFloat, .number = *json.find_number()};
    case JsonKind::kString:
      return {.kind = Kind::kText, .text = std::string(*json.find_string())};
    case JsonKind::kArray:
    case JsonKind::kObject:
      break;
  }
  return {.kind = Kind::kOther};
}

std::optional<JsonValue> find_item(JsonValue array, const std::string& step) {
  std::uint32_t index = 0;
  const char* const end = step.data() + step.size();
  const auto [stop, error] = std::from_chars(step.data(), end, index);
  if (error != std::errc() || stop != end || index >= array.size()) return std::nullopt;
  if (step.size() > 1 && step.front() == '0') return std::nullopt;
  auto item = array.children().begin();
  for (; index > 0; --index) ++item;
  return *item;
}

/// `~1` is a slash, `~0` a tilde; nothing else may follow a tilde.
std::optional<std::string> unescape(std::string_view step) {
  std::string out;
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (step[i] != '~') {
      out += step[i];
      continue;
    }
    if (++i == step.size() || (step[i] != '0' && step[i] != '1')) return std::nullopt;
    out += step[i] == '0' ? '~' : '/';
  }
  return out;
}

/// Calls `convert(value)` for each value; what it gives is the row's, and nothing is an error.
template <class T, class Convert>
void collect(const std::vector<const HttpValue*>& from,
             Convert convert,
             Array<T>& values,
             Array<std::uint8_t>& valid,
             ParseErrors& errors) {
  std::ranges::fill(values.span(), T{});
  std::ranges::fill(valid.span(), std::uint8_t{0});
  for (std::size_t row = 0; row < from.size(); ++row) {
    if (from[row] == nullptr || from[row]->kind == Kind::kNull) continue;
    const std::optional<T> value = convert(*from[row]);
    if (value) {
      values[row] = *value;
      valid[row] = 1;
      continue;
    }
    ++errors.count;
    if (!errors.keep.empty()) errors.keep[row] = 0;
  }
}

std::optional<std::int64_t> to_int(const HttpValue& value) {
  if (value.kind != Kind::kInt) return std::nullopt;
  return value.integer;
}
std::optional<double> to_float(const HttpValue& value) {
  if (value.kind == Kind::kInt) return static_cast<double>(value.integer);
  if (value.kind != Kind::kFloat) return std::nullopt;
  return value.number;
}
std::optional<std::uint8_t> to_flag(const HttpValue& value) {
  if (value.kind != Kind::kBool) return std::nullopt;
  return static_cast<std::uint8_t>(value.flag);
}

}  // namespace

base::Result<JsonPointer> JsonPointer::parse(std::string_view text) {
  if (!text.starts_with('/')) {
    return base::fail(base::ErrorCode::kInvalidPlan,
                      "Bad field, it must be a path such as /a/b: " + std::string(text),
                      "field");
  }
  JsonPointer pointer;
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::size_t end = std::min(text.find('/'), text.size());
    std::optional<std::string> step = unescape(text.substr(0, end));
    if (!step) {
      return base::fail(base::ErrorCode::kInvalidPlan,
                        "Bad field, only ~0 and ~1 may follow a tilde: " + std::string(text),
                        "field");
    }
    pointer.steps_.push_back(*std::move(step));
    text.remove_prefix(end);
  }
  return pointer;
}

HttpValue JsonPointer::find_in(JsonValue root) const {
  std::optional<JsonValue> at = root;
  for (const std::string& step : steps_) {
    at = at->is(JsonKind::kArray) ? find_item(*at, step) : at->find_member(step);
    if (!at) return {};
  }
  return value_of(*at);
}

base::Result<HttpValue> read_field(std::string_view body,
                                   const JsonPointer& field,
                                   base::JsonReader& reader) {
  base::JsonDocument document;
  if (const auto read = reader.read(body, document); !read) {
    return base::fail(base::ErrorCode::kNodeFailed,
                      "The answer is no JSON: " + read.error().message);
  }
  return field.find_in(document.root());
}

rows::ColumnRef make_value_column(ColumnType type,
                                  const std::vector<const HttpValue*>& values,
                                  rows::RowScratch& scratch,
                                  ParseErrors& errors) {
  Array<std::uint8_t> valid = scratch.make_array<std::uint8_t>(values.size());
  switch (type) {
    case ColumnType::kInt64: {
      Array<std::int64_t> out = scratch.make_array<std::int64_t>(values.size());
      collect(values, to_int, out, valid, errors);
      return rows::Column::make_int64(std::move(out), std::move(valid));
    }
    case ColumnType::kFloat64: {
      Array<double> out = scratch.make_array<double>(values.size());
      collect(values, to_float, out, valid, errors);
      return rows::Column::make_float64(std::move(out), std::move(valid));
    }
    case ColumnType::kBool: {
      Array<std::uint8_t> out = scratch.make_array<std::uint8_t>(values.size());
      collect(values, to_flag, out, valid, errors);
      return rows::Column::make_bool(std::move(out), std::move(valid));
    }
    case ColumnType::kString:
      break;
  }
  Array<std::int32_t> codes = scratch.make_array<std::int32_t>(values.size());
  rows::DictionaryBuilder dictionary;
  const auto to_code = [&dictionary](const HttpValue& value) -> std::optional<std::int32_t> {
    if (value.kind != Kind::kText) return std::nullopt;
    return dictionary.add(value.text);
  };
  collect(values, to_code, codes, valid, errors);
  return rows::Column::make_string(std::move(codes), dictionary.finish(), std::move(valid));
}

}  // namespace millrace::stores
