#include "graph/compile/config_check.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"
#include "base/problems/problem_report.h"
#include "base/result.h"
#include "graph/compile/descriptor.h"
#include "graph/format/diagnostic.h"
#include "graph/format/duration_text.h"
#include "graph/format/reporter.h"
#include "graph/format/spec.h"
#include "graph/payload.h"

namespace millrace::graph {
namespace {

using base::JsonKind;
using base::JsonValue;

constexpr auto kMillisecondsMax =
    static_cast<std::uint64_t>(std::chrono::floor<std::chrono::milliseconds>(kDurationMax).count());

bool is_count_of_milliseconds(JsonValue value) {
  return value.find_unsigned().value_or(UINT64_MAX) <= kMillisecondsMax;
}

/// Gives what is wrong with a value of that kind, or nothing.
std::optional<std::string> find_fault(JsonValue value, const ConfigField& field) {
  const auto needs_int = [&field](JsonValue number) -> std::optional<std::string> {
    const auto found = number.find_int();
    if (!found) return base::format("Expected int, found {}", base::to_string(number.kind()));
    if (*found < field.min) return base::format("The value must be at least {}", field.min);
    if (*found > field.max) return base::format("The value must be at most {}", field.max);
    return std::nullopt;
  };
  const auto needs = [&value](bool is_good, std::string_view what) -> std::optional<std::string> {
    if (is_good) return std::nullopt;
    return base::format("Expected {}, found {}", what, base::to_string(value.kind()));
  };
  const auto needs_duration = [](JsonValue item) -> std::optional<std::string> {
    const auto text = item.find_string();
    if (text && find_duration(*text)) return std::nullopt;
    return "Expected a duration with a unit, as 20ms";
  };
  const auto needs_items = [&](const auto& check) -> std::optional<std::string> {
    if (!value.is(JsonKind::kArray)) return needs(false, "array");
    for (const JsonValue item : value.children()) {
      if (auto fault = check(item)) return fault;
    }
    return std::nullopt;
  };
  switch (field.kind) {
    case ConfigKind::kInt:
      return needs_int(value);
    case ConfigKind::kNumber:
      return needs(value.find_number().has_value(), "number");
    case ConfigKind::kBool:
      return needs(value.is(JsonKind::kBool), "bool");
    case ConfigKind::kText: {
      if (!value.is(JsonKind::kString)) return needs(false, "string");
      std::string fault =
          field.find_fault == nullptr ? std::string() : field.find_fault(*value.find_string());
      return fault.empty() ? std::nullopt : std::optional(std::move(fault));
    }
    case ConfigKind::kDuration:
      return needs_duration(value);
    case ConfigKind::kArray:
      return needs(value.is(JsonKind::kArray), "array");
    case ConfigKind::kIntArray:
      return needs_items(needs_int);
    case ConfigKind::kDurationArray:
      return needs_items(needs_duration);
  }
  return std::nullopt;
}

class ConfigChecker {
 public:
  ConfigChecker(const ComponentSpec& component, const ComponentDescriptor& type, Reporter& reporter)
      : component_(component), type_(type), reporter_(reporter) {}

  void run() {
    for (const ConfigField& field : type_.config) check_field(field);
    if (component_.config) check_names();
  }

 private:
  [[nodiscard]] std::optional<JsonValue> find(std::string_view name) const {
    return component_.config ? component_.config->find_member(name) : std::nullopt;
  }

  void check_field(const ConfigField& field) {
    const auto given = find(field.name);
    const bool is_duration = field.kind == ConfigKind::kDuration;
    const auto count = is_duration ? find(field.name + "_ms") : std::nullopt;
    if (given && count) {
      reporter_.at_key(DiagnosticCode::kDurationGivenTwice,
                       given->index() < count->index() ? *count : *given,
                       base::format("Both '{0}' and '{0}_ms' are given", field.name));
    }
    if (count && !is_count_of_milliseconds(*count)) {
      report(*count, base::format("Expected int from 0 to {}", kMillisecondsMax));
    }
    if (field.is_required && !given && !count) {
      report(component_.config.value_or(*component_.source),
             base::format("'{}' needs config '{}': {}", type_.type, field.name, field.about));
    }
    if (!given) return;
    if (auto fault = find_fault(*given, field)) return report(*given, *std::move(fault));
    if (!field.excludes.empty() && find(field.excludes)) {
      report(*given, base::format("Give '{}' or '{}', not both", field.name, field.excludes));
    }
    const auto other = field.same_size_as.empty() ? std::nullopt : find(field.same_size_as);
    if (other && other->size() != given->size()) {
      report(*given,
             base::format(
                 "{} items, but '{}' has {}", given->size(), field.same_size_as, other->size()));
    }
  }

  void check_names() {
    std::vector<std::string> names;
    for (const ConfigField& field : type_.config) {
      names.push_back(field.name);
      if (field.kind == ConfigKind::kDuration) names.push_back(field.name + "_ms");
    }
    const std::vector<std::string_view> known(names.begin(), names.end());
    for (const JsonValue member : component_.config->children()) {
      if (std::ranges::find(known, member.key()) != known.end()) continue;
      const auto nearest = base::find_nearest(member.key(), known);
      reporter_.at_key(DiagnosticCode::kBadConfig,
                       member,
                       base::format("'{}' has no config '{}'", type_.type, member.key()),
                       nearest ? base::format("write '{}'", *nearest) : std::string());
    }
  }

  void report(JsonValue value, std::string message) {
    reporter_.at_value(DiagnosticCode::kBadConfig, value, std::move(message));
  }

  const ComponentSpec& component_;
  const ComponentDescriptor& type_;
  Reporter& reporter_;
};

/// A field as JSON: its default if it is not given.
std::string field_text(const ConfigField& field, const Payload& config) {
  if (const Payload* given = config.find_member(field.name)) return given->to_json();
  if (field.kind == ConfigKind::kDuration) {
    if (const Payload* count = config.find_member(field.name + "_ms")) {
      return base::format("\"{}ms\"", count->to_json());
    }
  }
  return field.default_text;
}

}  // namespace

base::Status check_new_config(const ComponentDescriptor& type,
                              const Payload& now,
                              const Payload& wanted) {
  const auto refuse = [](std::string message) {
    return base::fail(base::ErrorCode::kInvalidArgument, std::move(message));
  };
  const bool is_object =
      wanted.kind() == PayloadKind::kObject || wanted.kind() == PayloadKind::kNull;
  if (!is_object) return refuse("A configuration is an object");
  const auto document =
      base::read_json(wanted.kind() == PayloadKind::kNull ? "{}" : wanted.to_json());
  if (!document) return refuse(document.error().message);
  DiagnosticReport report;
  const base::OriginPaths origins;
  Reporter reporter(*document, origins, report);
  check_config({.source = document->root(), .config = document->root()}, type, reporter);
  if (report.has_errors()) {
    const base::Problem& first = report.problems().front();
    return refuse(first.hint.empty() ? first.message
                                     : base::format("{}; {}", first.message, first.hint));
  }
  for (const ConfigField& field : type.config) {
    if (!field.is_fixed || field_text(field, now) == field_text(field, wanted)) continue;
    return refuse(
        base::format("'{}' of '{}' cannot change while it runs; it is {}",
                     field.name,
                     type.type,
                     field_text(field, now).empty() ? "not given" : field_text(field, now)));
  }
  return {};
}

void check_config(const ComponentSpec& component,
                  const ComponentDescriptor& type,
                  Reporter& reporter) {
  ConfigChecker(component, type, reporter).run();
}

}  // namespace millrace::graph
