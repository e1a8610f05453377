#include "graph/format/schema.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/formats/json_document.h"
#include "base/formats/json_writer.h"
#include "graph/format/duration_text.h"
#include "graph/format/field_visitor.h"
#include "graph/format/fields.h"
#include "graph/format/spec.h"

namespace millrace::graph {
namespace {

/// Writes the schema of one object: each visited field becomes a property.
class SchemaWriter final : public FieldVisitor {
 public:
  explicit SchemaWriter(base::JsonWriter& json) : json_(json) {
    json_.member("type", "object");
    json_.member("additionalProperties", false);
    json_.key("properties");
    json_.begin_object();
  }
  void finish() {
    json_.end_object();
    if (required_.empty()) return;
    json_.key("required");
    json_.begin_array();
    for (const std::string_view name : required_) json_.value(name);
    json_.end_array();
  }

  void source(std::optional<base::JsonValue>&) override {}
  void readable(bool&) override {}
  void text(std::string_view name, std::string& value, const FieldRule& rule) override {
    begin(name, rule, "string");
    if (!rule.required) json_.member("default", value);
    json_.end_object();
  }
  void id(std::string_view name, std::string&, const FieldRule& rule) override {
    begin(name, rule, "string");
    json_.member("pattern", "^[A-Za-z0-9_./:-]+$");
    json_.end_object();
  }
  void flag(std::string_view name, bool& value, const FieldRule& rule) override {
    begin(name, rule, "boolean");
    json_.member("default", value);
    json_.end_object();
  }
  void integer(std::string_view name, std::int64_t& value, const FieldRule& rule) override {
    begin(name, rule, "integer");
    write_range(rule);
    if (!rule.required && value >= rule.min) json_.member("default", value);
    json_.end_object();
  }
  void number(std::string_view name, double& value, const FieldRule& rule) override {
    begin(name, rule, "number");
    json_.member("minimum", rule.min);
    if (value >= 0) json_.member("default", value);
    json_.end_object();
  }
  void duration(std::string_view name, Duration& value, const FieldRule& rule) override {
    begin(name, rule, "string");
    json_.member("pattern", "^[0-9]+(\\.[0-9]+)?(ns|us|ms|s|m)$");
    json_.member("default", duration_text(value));
    json_.end_object();
    const std::string in_milliseconds = std::string(name) + "_ms";
    begin(in_milliseconds, rule, "integer");
    json_.member("minimum", 0);
    json_.end_object();
  }
  void texts(std::string_view name, std::vector<std::string>&, const FieldRule& rule) override {
    begin_array_of(name, rule, "string");
    json_.end_object();
    json_.end_object();
  }
  void integers(std::string_view name, std::vector<std::int64_t>&, const FieldRule& rule) override {
    begin_array_of(name, rule, "integer");
    write_range(rule);
    json_.end_object();
    json_.end_object();
  }
  void config(std::string_view name,
              std::optional<base::JsonValue>&,
              const FieldRule& rule) override {
    begin(name, rule, "object");
    json_.end_object();
  }
  void array(std::string_view name,
             std::optional<base::JsonValue>&,
             const FieldRule& rule) override {
    begin(name, rule, "array");
    json_.end_object();
  }
  void object(std::string_view name, const Members& members, const FieldRule& rule) override {
    begin(name, rule, {});
    write_object(members);
    json_.end_object();
  }
  void list(std::string_view name, const Members& members, const FieldRule& rule) override {
    begin(name, rule, "array");
    json_.key("items");
    json_.begin_object();
    write_object(members);
    json_.end_object();
    json_.end_object();
  }
  void map(std::string_view name, const NamedMembers& members, const FieldRule& rule) override {
    begin(name, rule, "object");
    json_.key("additionalProperties");
    json_.begin_object();
    write_object([&members](FieldVisitor& visitor) { members(visitor, "id"); });
    json_.end_object();
    json_.end_object();
  }
  void word_or_object(std::string_view name,
                      std::uint8_t& value,
                      std::span<const std::string_view> words,
                      const Members& members,
                      const FieldRule& rule) override {
    begin(name, rule, {});
    json_.member("default", words[value]);
    json_.key("anyOf");
    json_.begin_array();
    json_.begin_object();
    write_words(words.first(words.size() - 1));
    json_.end_object();
    json_.begin_object();
    write_object([&](FieldVisitor& visitor) {
      visitor.object(words.back(), members, {.about = rule.about, .required = true});
    });
    json_.end_object();
    json_.end_array();
    json_.end_object();
  }
  void word(std::string_view name,
            std::uint8_t& value,
            std::span<const std::string_view> words,
            const FieldRule& rule) override {
    begin(name, rule, {});
    write_words(words);
    if (!rule.required && value < words.size()) json_.member("default", words[value]);
    json_.end_object();
  }

 private:
  void begin(std::string_view name, const FieldRule& rule, std::string_view type) {
    if (rule.required) required_.push_back(name);
    json_.key(name);
    json_.begin_object();
    json_.member("description", rule.about);
    if (!type.empty()) json_.member("type", type);
  }
  void begin_array_of(std::string_view name, const FieldRule& rule, std::string_view type) {
    begin(name, rule, "array");
    json_.key("items");
    json_.begin_object();
    json_.member("type", type);
  }
  void write_object(const Members& members) {
    SchemaWriter nested(json_);
    members(nested);
    nested.finish();
  }
  void write_range(const FieldRule& rule) {
    json_.member("minimum", rule.min);
    if (rule.max != std::numeric_limits<std::int64_t>::max()) json_.member("maximum", rule.max);
  }
  void write_words(std::span<const std::string_view> words) {
    json_.key("enum");
    json_.begin_array();
    for (const std::string_view word : words) json_.value(word);
    json_.end_array();
  }

  base::JsonWriter& json_;
  std::vector<std::string_view> required_;
};

}  // namespace

std::string schema_text() {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.member("$schema", "https://json-schema.org/draft/2020-12/schema");
  json.member("title", "Resident graph, schema_version 1");
  SchemaWriter writer(json);
  GraphSpec spec;
  visit_root(writer, spec);
  writer.finish();
  json.end_object();
  return text;
}

}  // namespace millrace::graph
