#include "graph/format/expansion.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/formats/json_builder.h"
#include "base/formats/json_document.h"
#include "graph/format/diagnostic.h"
#include "graph/format/field_reader.h"
#include "graph/format/field_visitor.h"
#include "graph/format/fields.h"
#include "graph/format/limits.h"
#include "graph/format/reporter.h"
#include "graph/format/spec.h"

namespace millrace::graph {
namespace {

using base::JsonKind;
using base::JsonValue;

constexpr std::array<std::string_view, 3> kPartSections = {
    "components", "edges", "composite_loops"};
constexpr std::array<std::string_view, 3> kOuterSections = {
    "subgraphs", "templates", "template_instances"};

/// The fields of a section's items that name components, edges or loops of the same part.
std::span<const std::string_view> names_in(std::string_view section) {
  static constexpr std::string_view kOfComponents[] = {"id", "depends_on"};
  static constexpr std::string_view kOfEdges[] = {"id", "from", "to"};
  static constexpr std::string_view kOfLoops[] = {"id", "components"};
  if (section == "components") return kOfComponents;
  if (section == "edges") return kOfEdges;
  return kOfLoops;
}

/// A part to copy, with the place of its lists in the file.
struct Part {
  const SubgraphSpec* lists = nullptr;
  const TemplateInstanceSpec* instance = nullptr;  // nullptr: a subgraph
  std::string path = {};
  std::set<std::string, std::less<>> used = {};      // parameters
  std::set<std::string, std::less<>> reported = {};  // parameters
};

/// Copies values into the expanded document and replaces placeholders on the way.
class PartCopier {
 public:
  PartCopier(const base::JsonDocument& document, base::JsonBuilder& builder, Reporter& reporter)
      : document_(document), builder_(builder), reporter_(reporter) {}

  /// Says which part the next values belong to; nullptr: the root.
  void enter(Part* part) {
    part_ = part;
    instance_ = part == nullptr ? nullptr : part->instance;
    prefix_ = part != nullptr && instance_ == nullptr ? part->lists->id + "." : std::string();
  }

  void copy_item(JsonValue item, std::string_view section) {
    if (!item.is(JsonKind::kObject)) return copy(item);
    builder_.begin_object(item.offset());
    const auto names = names_in(section);
    for (const JsonValue member : item.children()) {
      builder_.key(member.key(), member.key_offset());
      const bool is_name = std::ranges::find(names, member.key()) != names.end();
      if (is_name && !prefix_.empty()) {
        copy_prefixed(member);
      } else {
        copy(member);
      }
    }
    builder_.end();
  }

  void copy(JsonValue value) {
    if (value.is(JsonKind::kObject)) {
      builder_.begin_object(value.offset());
      for (const JsonValue member : value.children()) {
        builder_.key(member.key(), member.key_offset());
        copy(member);
      }
      builder_.end();
    } else if (value.is(JsonKind::kArray)) {
      builder_.begin_array(value.offset());
      for (const JsonValue item : value.children()) copy(item);
      builder_.end();
    } else if (instance_ != nullptr && value.is(JsonKind::kString)) {
      copy_filled(value, *value.find_string());
    } else {
      builder_.copy_scalar(value);
    }
  }

 private:
  void copy_prefixed(JsonValue value) {
    if (value.is(JsonKind::kArray)) {
      builder_.begin_array(value.offset());
      for (const JsonValue item : value.children()) copy_prefixed(item);
      builder_.end();
    } else if (const auto text = value.find_string()) {
      builder_.string(prefix_ + std::string(*text), value.offset());
    } else {
      copy(value);
    }
  }

  /// Copies a text with its placeholders replaced. One that is nothing but a placeholder becomes
  /// the parameter itself, with its type and place.
  void copy_filled(JsonValue value, std::string_view text) {
    std::string filled;
    std::string_view rest = text;
    for (;;) {
      const std::size_t open = rest.find("{{");
      const std::size_t close = open == std::string_view::npos ? open : rest.find("}}", open);
      if (close == std::string_view::npos) break;
      const std::string_view name = trimmed(rest.substr(open + 2, close - open - 2));
      const auto parameter = find_parameter(name, value);
      const bool is_all = open == 0 && close + 2 == text.size();
      if (is_all && parameter) return builder_.copy_scalar(*parameter);
      filled += rest.substr(0, open);
      if (parameter) filled += scalar_text(*parameter);
      rest.remove_prefix(close + 2);
    }
    filled += rest;
    builder_.string(filled, value.offset());
  }

  static std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
  }

  static std::string scalar_text(JsonValue value) {
    if (const auto text = value.find_string()) return std::string(*text);
    if (const auto flag = value.find_bool()) return *flag ? "true" : "false";
    if (const auto number = value.find_int()) return std::to_string(*number);
    if (const auto number = value.find_number()) return base::format("{}", *number);
    return "";
  }

  std::optional<JsonValue> find_parameter(std::string_view name, JsonValue placeholder) {
    const auto& parameters = instance_->parameters;
    const auto value = parameters ? parameters->find_member(name) : std::nullopt;
    if (!value) {
      if (part_->reported.insert(std::string(name)).second) {
        reporter_.at_value(
            DiagnosticCode::kTemplateParameter,
            *instance_->source,
            base::format("Instance '{}' has no parameter '{}', which template '{}' uses in line {}",
                         instance_->id,
                         name,
                         instance_->template_id,
                         line_of(placeholder)));
      }
      return std::nullopt;
    }
    part_->used.insert(std::string(name));
    if (!value->is(JsonKind::kObject) && !value->is(JsonKind::kArray)) return value;
    if (part_->reported.insert(std::string(name)).second) {
      reporter_.at_value(DiagnosticCode::kTemplateParameter,
                         *value,
                         base::format("Parameter '{}' must be a scalar", name));
    }
    return std::nullopt;
  }

  [[nodiscard]] std::uint32_t line_of(JsonValue value) const {
    return document_.place(value.offset()).line;
  }

  const base::JsonDocument& document_;
  base::JsonBuilder& builder_;
  Reporter& reporter_;
  std::string prefix_;
  const TemplateInstanceSpec* instance_ = nullptr;
  Part* part_ = nullptr;
};

class Expander {
 public:
  Expander(const base::JsonDocument& document,
           const GraphLimits& limits,
           Reporter& reporter,
           base::JsonDocument& expanded)
      : document_(document),
        limits_(limits),
        reporter_(reporter),
        builder_(expanded, document.text()),
        copier_(document, builder_, reporter) {}

  void run(base::OriginPaths& origins) {
    read_outer_sections();
    find_parts();
    const JsonValue root = document_.root();
    builder_.begin_object(root.offset());
    for (const JsonValue member : root.children()) {
      const bool is_part = std::ranges::find(kPartSections, member.key()) != kPartSections.end();
      const bool is_outer = std::ranges::find(kOuterSections, member.key()) != kOuterSections.end();
      if (is_outer || is_part) continue;
      builder_.key(member.key(), member.key_offset());
      copier_.copy(member);
    }
    for (const std::string_view section : kPartSections) copy_section(section, origins);
    builder_.end();
    // Of what was too large not all is known.
    if (is_too_large_) return;
    for (const Part& part : parts_) report_unused(part);
  }

 private:
  template <class Spec>
  void read_list(std::string_view name,
                 std::vector<Spec>& specs,
                 void (*visit)(FieldVisitor&, Spec&)) {
    const auto list = document_.root().find_member(name);
    if (!list) return;
    if (!list->is(JsonKind::kArray)) {
      return reporter_.at_value(
          DiagnosticCode::kWrongType,
          *list,
          base::format("Expected array, found {}", base::to_string(list->kind())));
    }
    std::set<std::string> ids;
    for (const JsonValue item : list->children()) {
      Spec& spec = specs.emplace_back();
      if (!item.is(JsonKind::kObject)) {
        reporter_.at_value(DiagnosticCode::kWrongType,
                           item,
                           base::format("Expected object, found {}", base::to_string(item.kind())));
        continue;
      }
      FieldReader reader(item, limits_, reporter_);
      visit(reader, spec);
      reader.finish();
      if (!spec.id.empty() && !ids.insert(spec.id).second) {
        reporter_.at_member(DiagnosticCode::kDuplicateId,
                            item,
                            "id",
                            base::format("Two of '{}' have the id '{}'", name, spec.id));
      }
    }
  }

  void read_outer_sections() {
    read_list("subgraphs", spec_.subgraphs, visit_subgraph);
    read_list("templates", spec_.templates, visit_subgraph);
    read_list("template_instances", spec_.template_instances, visit_template_instance);
  }

  void find_parts() {
    for (std::size_t i = 0; i < spec_.subgraphs.size(); ++i) {
      const SubgraphSpec& part = spec_.subgraphs[i];
      if (part.id.empty()) continue;
      parts_.push_back({.lists = &part, .path = base::format("subgraphs[{}]", i)});
    }
    for (const TemplateInstanceSpec& instance : spec_.template_instances) {
      if (instance.template_id.empty()) continue;
      const auto found =
          std::ranges::find(spec_.templates, instance.template_id, &TemplateSpec::id);
      if (found == spec_.templates.end()) {
        reporter_.at_member(DiagnosticCode::kUnknownTemplate,
                            instance.source,
                            "template",
                            base::format("No template has the id '{}'", instance.template_id));
        continue;
      }
      parts_.push_back({.lists = &*found,
                        .instance = &instance,
                        .path = base::format("templates[{}]", found - spec_.templates.begin())});
    }
  }

  void copy_section(std::string_view section, base::OriginPaths& origins) {
    const auto own = document_.root().find_member(section);
    const bool has_items = std::ranges::any_of(
        parts_, [&](const Part& part) { return list_of(part, section).has_value(); });
    if (!own && !has_items) return;
    builder_.key(section, own ? own->key_offset() : document_.root().offset());
    if (own && !own->is(JsonKind::kArray)) return copier_.copy(*own);
    builder_.begin_array(own ? own->offset() : document_.root().offset());
    if (own) {
      for (const JsonValue item : own->children()) copier_.copy(item);
    }
    for (Part& part : parts_) copy_part(part, section, origins);
    builder_.end();
  }

  void copy_part(Part& part, std::string_view section, base::OriginPaths& origins) {
    const auto list = list_of(part, section);
    if (!list) return;
    copier_.enter(&part);
    std::size_t position = 0;
    for (const JsonValue item : list->children()) {
      if (builder_.value_count() > kDocumentValuesMax) {
        report_size(part);
        break;
      }
      origins[builder_.value_count()] = base::format("{}.{}[{}]", part.path, section, position++);
      copier_.copy_item(item, section);
    }
    copier_.enter(nullptr);
  }

  void report_size(const Part& part) {
    if (std::exchange(is_too_large_, true)) return;
    reporter_.at_value(
        DiagnosticCode::kTooLarge,
        part.instance != nullptr ? *part.instance->source : *part.lists->source,
        base::format("Subgraphs and templates make more than {} values", kDocumentValuesMax));
  }

  void report_unused(const Part& part) {
    if (part.instance == nullptr || !part.instance->parameters) return;
    for (const JsonValue parameter : part.instance->parameters->children()) {
      if (part.used.contains(parameter.key())) continue;
      reporter_.at_key(DiagnosticCode::kTemplateParameter,
                       parameter,
                       base::format("Template '{}' has no placeholder '{}'",
                                    part.instance->template_id,
                                    parameter.key()));
    }
  }

  static std::optional<JsonValue> list_of(const Part& part, std::string_view section) {
    if (section == "components") return part.lists->components;
    if (section == "edges") return part.lists->edges;
    return part.lists->composite_loops;
  }

  const base::JsonDocument& document_;
  const GraphLimits& limits_;
  Reporter& reporter_;
  base::JsonBuilder builder_;
  PartCopier copier_;
  GraphSpec spec_;
  std::vector<Part> parts_;
  bool is_too_large_ = false;
};

}  // namespace

bool needs_expansion(const base::JsonDocument& document) {
  return std::ranges::any_of(kOuterSections, [&document](std::string_view section) {
    return document.root().find_member(section).has_value();
  });
}

void expand(const base::JsonDocument& document,
            const GraphLimits& limits,
            Reporter& reporter,
            base::JsonDocument& expanded,
            base::OriginPaths& origins) {
  Expander(document, limits, reporter, expanded).run(origins);
}

}  // namespace millrace::graph
