#include "observe/otlp_json.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/formats/json_writer.h"

namespace millrace::observe {
namespace {

// Numbers of OpenTelemetry's protocol.
constexpr int kStatusOk = 0;  // not set: the span ended well as far as we know
constexpr int kStatusError = 2;

void write_attribute(base::JsonWriter& json, std::string_view name, const Span::Value& value) {
  json.begin_object();
  json.member("key", name);
  json.key("value");
  json.begin_object();
  if (const auto* const text = std::get_if<std::string>(&value)) {
    json.member("stringValue", *text);
  } else {
    json.member("intValue", std::to_string(std::get<std::int64_t>(value)));
  }
  json.end_object();
  json.end_object();
}

std::string hex(std::uint64_t id) {
  std::string text;
  append_hex(id, text);
  return text;
}

void write_span(base::JsonWriter& json, const Span& span) {
  json.begin_object();
  json.member("traceId", to_text(span.trace));
  json.member("spanId", hex(span.id));
  if (span.parent != 0) json.member("parentSpanId", hex(span.parent));
  json.member("name", span.name);
  json.member("kind", static_cast<int>(span.kind));
  json.member("startTimeUnixNano", std::to_string(span.start_ns));
  json.member("endTimeUnixNano", std::to_string(span.end_ns));
  json.key("attributes");
  json.begin_array();
  for (const auto& [name, value] : span.attributes) write_attribute(json, name, value);
  json.end_array();
  json.key("status");
  json.begin_object();
  if (!span.error.empty()) json.member("message", span.error);
  json.member("code", span.error.empty() ? kStatusOk : kStatusError);
  json.end_object();
  json.end_object();
}

}  // namespace

std::string otlp_json(std::span<const Span> spans, const OtlpResource& resource) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.key("resourceSpans");
  json.begin_array();
  json.begin_object();
  json.key("resource");
  json.begin_object();
  json.key("attributes");
  json.begin_array();
  for (const auto& [name, value] : resource) write_attribute(json, name, value);
  json.end_array();
  json.end_object();
  json.key("scopeSpans");
  json.begin_array();
  json.begin_object();
  json.key("scope");
  json.begin_object();
  json.member("name", "millrace");
  json.end_object();
  json.key("spans");
  json.begin_array();
  for (const Span& span : spans) write_span(json, span);
  json.end_array();
  json.end_object();
  json.end_array();
  json.end_object();
  json.end_array();
  json.end_object();
  return out;
}

}  // namespace millrace::observe
