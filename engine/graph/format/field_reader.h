#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/formats/json_document.h"
#include "base/formats/object_reader.h"
#include "base/formats/value_reader.h"
#include "graph/format/field_visitor.h"
#include "graph/format/limits.h"
#include "graph/format/reporter.h"

namespace millrace::graph {

/// Reads one object of a document field by field and reports what is wrong with it. Call `finish`
/// after the last field: it reports the members that no field asked for.
/// Threading: not shared. Lifetime: borrows the document, the limits and the reporter.
class FieldReader final : public FieldVisitor {
 public:
  FieldReader(base::JsonValue object, const GraphLimits& limits, Reporter& reporter);
  void finish();

  void source(std::optional<base::JsonValue>& object) override { object = object_.value(); }
  void readable(bool& flag) override { readable_ = &flag; }
  void text(std::string_view name, std::string& value, const FieldRule& rule) override;
  void id(std::string_view name, std::string& value, const FieldRule& rule) override;
  void flag(std::string_view name, bool& value, const FieldRule& rule) override;
  void integer(std::string_view name, std::int64_t& value, const FieldRule& rule) override;
  void number(std::string_view name, double& value, const FieldRule& rule) override;
  void duration(std::string_view name, Duration& value, const FieldRule& rule) override;
  void texts(std::string_view name,
             std::vector<std::string>& values,
             const FieldRule& rule) override;
  void integers(std::string_view name,
                std::vector<std::int64_t>& values,
                const FieldRule& rule) override;
  void config(std::string_view name,
              std::optional<base::JsonValue>& value,
              const FieldRule& rule) override;
  void array(std::string_view name,
             std::optional<base::JsonValue>& value,
             const FieldRule& rule) override;
  void object(std::string_view name, const Members& members, const FieldRule& rule) override;
  void list(std::string_view name, const Members& members, const FieldRule& rule) override;
  void map(std::string_view name, const NamedMembers& members, const FieldRule& rule) override;
  void word_or_object(std::string_view name,
                      std::uint8_t& value,
                      std::span<const std::string_view> words,
                      const Members& members,
                      const FieldRule& rule) override;
  void word(std::string_view name,
            std::uint8_t& value,
            std::span<const std::string_view> words,
            const FieldRule& rule) override;

 private:
  /// Notes that the field exists, and reports it if it is required and missing.
  void expect(std::string_view name, const FieldRule& rule);
  void read_nested(base::JsonValue value, const Members& members);
  bool check_id(base::JsonValue place, std::string_view id, bool is_key);
  bool check_count(base::JsonValue value);

  base::ObjectReader object_;
  base::ValueReader values_;
  const GraphLimits& limits_;
  Reporter& reporter_;
  std::vector<std::string> known_;
  std::size_t unread_before_;
  bool* readable_ = nullptr;
};

/// How deep objects and arrays are nested in a value; a scalar has depth 0.
[[nodiscard]] std::size_t nesting_depth(base::JsonValue value);

}  // namespace millrace::graph
