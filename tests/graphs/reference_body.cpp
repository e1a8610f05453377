#include "reference_body.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"
#include "base/formats/json_writer.h"

namespace millrace::graph_reference {
namespace {

using base::JsonKind;
using base::JsonValue;

void write_json(base::JsonWriter& writer, const JsonValue& value) {
  switch (value.kind()) {
    case JsonKind::kNull:
      return writer.null();
    case JsonKind::kBool:
      return writer.value(*value.find_bool());
    case JsonKind::kInt:
      return writer.value(*value.find_int());
    case JsonKind::kUnsigned:
      return writer.value(*value.find_unsigned());
    case JsonKind::kFloat:
      return writer.value(*value.find_number());
    case JsonKind::kString:
      return writer.value(*value.find_string());
    case JsonKind::kArray:
      writer.begin_array();
      for (const JsonValue item : value.children()) write_json(writer, item);
      return writer.end_array();
    case JsonKind::kObject:
      writer.begin_object();
      for (const JsonValue member : value.children()) {
        writer.key(member.key());
        write_json(writer, member);
      }
      return writer.end_object();
  }
}

/// Reads what the generator writes: a whole number and one of the five units.
Duration read_duration(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  MR_CHECK(error == std::errc());
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit == "ns") return std::chrono::nanoseconds(count);
  if (unit == "us") return std::chrono::microseconds(count);
  if (unit == "ms") return std::chrono::milliseconds(count);
  if (unit == "s") return std::chrono::seconds(count);
  MR_CHECK(unit == "m");
  return std::chrono::minutes(count);
}

std::string number_json(double number) {
  std::string text;
  base::JsonWriter(text).value(number);
  return text;
}

}  // namespace

std::string compact_json(const JsonValue& value) {
  std::string text;
  base::JsonWriter writer(text);
  write_json(writer, value);
  return text;
}

std::optional<JsonValue> Body::find(const std::string& name) const {
  return spec_->config ? spec_->config->find_member(name) : std::nullopt;
}

std::int64_t Body::integer(const std::string& name, std::int64_t otherwise) const {
  const auto found = find(name);
  return found ? found->find_int().value_or(otherwise) : otherwise;
}

double Body::number(const std::string& name, double otherwise) const {
  const auto found = find(name);
  return found ? found->find_number().value_or(otherwise) : otherwise;
}

Duration Body::duration(const std::string& name) const {
  if (const auto found = find(name)) return read_duration(*found->find_string());
  return std::chrono::milliseconds(integer(name + "_ms", 0));
}

std::string Body::table() const { return std::string(*find("table")->find_string()); }

BodyResult Body::call(const std::vector<Message>& inputs) {
  ++call_count_;
  BodyResult result;
  const std::string& type = spec_->type;
  if (type == "core.counter") counter(result);
  if (type == "core.values") values(result);
  if (type == "core.relax") relax(result);
  if (type == "core.spend") result.spent = cost();
  if (type == "core.fail" && find("fail_at")) {
    for (const JsonValue at : find("fail_at")->children()) {
      if (at.find_int() == call_count_) result.has_failed = true;
    }
    if (result.has_failed) return result;
  }
  if (type == "core.collect") {
    std::string array;
    for (const Message& message : inputs) array += (array.empty() ? "" : ",") + message.value;
    result.published.push_back({"[" + array + "]"});
  }
  for (const Message& message : inputs) {
    const bool passes_on = type == "core.spend" || type == "core.fail" || type == "core.input";
    if (passes_on) result.published.push_back({message.value, message.event_time});
    if (type == "core.linear")
      result.published.push_back({linear(message.value), message.event_time});
    if (type == "core.task") result.tasks.push_back(message.value);
    if (type == "core.stdout") result.printed.push_back(message.value);
    if (type == "core.table") table_rows(message, result);
  }
  return result;
}

void Body::counter(BodyResult& result) {
  const std::int64_t count = integer("count", 0);
  for (std::int64_t i = 0; i < integer("per_invocation", 1); ++i) {
    if (count > 0 && value_count_ == count) break;
    const std::int64_t value = integer("start", 1) + value_count_ * integer("step", 1);
    result.published.push_back({std::to_string(value)});
    ++value_count_;
  }
  result.is_finished = count > 0 && value_count_ == count;
}

void Body::values(BodyResult& result) {
  std::vector<JsonValue> all;
  std::vector<JsonValue> times;
  for (const JsonValue value : find("values")->children()) all.push_back(value);
  if (const auto found = find("timestamps_ms")) {
    for (const JsonValue time : found->children()) times.push_back(time);
  }
  for (std::int64_t i = 0; i < integer("per_invocation", 1); ++i) {
    const auto next = static_cast<std::size_t>(value_count_);
    if (next == all.size()) break;
    Publication publication{compact_json(all[next])};
    if (!times.empty()) {
      publication.event_time = std::chrono::milliseconds(*times[next].find_int());
    }
    result.published.push_back(publication);
    ++value_count_;
  }
  result.is_finished = static_cast<std::size_t>(value_count_) == all.size();
}

std::string Body::linear(const std::string& value) const {
  const auto document = base::read_json("[" + value + "]");
  MR_CHECK(document.has_value());
  const JsonValue number_value = *document->root().children().begin();
  const auto is_whole = [&](const std::string& name) {
    const auto found = find(name);
    return !found || found->is(JsonKind::kInt);
  };
  if (number_value.is(JsonKind::kInt) && is_whole("factor") && is_whole("offset")) {
    return std::to_string(*number_value.find_int() * integer("factor", 1) + integer("offset", 0));
  }
  return number_json(*number_value.find_number() * number("factor", 1) + number("offset", 0));
}

Duration Body::cost() const {
  const auto costs = find("costs");
  if (!costs || costs->size() == 0) return duration("cost");
  std::vector<Duration> all;
  for (const JsonValue one : costs->children()) all.push_back(read_duration(*one.find_string()));
  return all[std::min(static_cast<std::size_t>(call_count_), all.size()) - 1];
}

void Body::relax(BodyResult& result) {
  const double target = number("target", 0);
  double x = x_.value_or(number("start", 0));
  x += number("gain", 0.5) * (target - x);
  x_ = x;
  result.residual = std::abs(target - x);
  result.published.push_back({number_json(x)});
}

void Body::table_rows(const Message& message, BodyResult& result) const {
  const auto document = base::read_json(message.value);
  MR_CHECK(document.has_value());
  const JsonValue object = document->root();
  const auto key = object.find_member("key");
  const auto value = object.find_member("value");
  if (object.size() == 2 && key && value) {
    result.written.emplace_back(*key->find_string(), compact_json(*value));
    return;
  }
  for (const JsonValue member : object.children()) {
    result.written.emplace_back(member.key(), compact_json(member));
  }
}

}  // namespace millrace::graph_reference
