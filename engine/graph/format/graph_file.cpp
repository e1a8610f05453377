#include "graph/format/graph_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"
#include "base/formats/yaml_reader.h"
#include "base/result.h"
#include "graph/format/diagnostic.h"
#include "graph/format/expansion.h"
#include "graph/format/field_reader.h"
#include "graph/format/fields.h"
#include "graph/format/limits.h"
#include "graph/format/reporter.h"

namespace millrace::graph {
namespace {

constexpr std::int64_t kSchemaVersion = 1;

DiagnosticCode code_of(base::JsonProblemCode code) {
  switch (code) {
    case base::JsonProblemCode::kSyntax:
      return DiagnosticCode::kBadSyntax;
    case base::JsonProblemCode::kNotUtf8:
      return DiagnosticCode::kBadEncoding;
    case base::JsonProblemCode::kDuplicateKey:
      return DiagnosticCode::kDuplicateKey;
    case base::JsonProblemCode::kNumberRange:
      return DiagnosticCode::kBadValue;
    case base::JsonProblemCode::kTooDeep:
    case base::JsonProblemCode::kTooLarge:
      return DiagnosticCode::kTooLarge;
  }
  return DiagnosticCode::kBadSyntax;
}

}  // namespace

GraphFile::GraphFile(std::string_view text, TextFormat format, const GraphLimits& limits)
    : document_(std::make_unique<base::JsonDocument>()),
      origins_(std::make_unique<base::OriginPaths>()),
      report_(std::make_unique<DiagnosticReport>()) {
  read(text, format, limits);
}

void GraphFile::read(std::string_view text, TextFormat format, const GraphLimits& limits) {
  const base::JsonLimits bounds{.text_bytes_max = limits.text_bytes_max,
                                .string_bytes_max = limits.text_bytes_max,
                                .value_count_max = kDocumentValuesMax};
  auto document =
      format == TextFormat::kJson ? base::read_json(text, bounds) : base::read_yaml(text, bounds);
  if (!document) {
    base::JsonProblem& problem = document.error();
    std::string message = std::move(problem.message);
    if (text.size() > limits.text_bytes_max) message += " (--max-text-bytes)";
    report_->add({.code = code_of(problem.code),
                  .line = problem.place.line,
                  .column = problem.place.column,
                  .message = message});
    return;
  }
  *document_ = *std::move(document);
  if (!document_->root().is(base::JsonKind::kObject)) {
    report_->add({.code = DiagnosticCode::kWrongType,
                  .line = 1,
                  .column = 1,
                  .message = "Expected object, found array: a graph file is a mapping"});
    return;
  }
  read_document(limits);
}

void GraphFile::read_document(const GraphLimits& limits) {
  reporter_ = std::make_unique<Reporter>(*document_, *origins_, *report_);
  if (needs_expansion(*document_)) {
    auto expanded = std::make_unique<base::JsonDocument>();
    auto origins = std::make_unique<base::OriginPaths>();
    expand(*document_, limits, *reporter_, *expanded, *origins);
    document_ = std::move(expanded);
    origins_ = std::move(origins);
    reporter_ = std::make_unique<Reporter>(*document_, *origins_, *report_);
    // What a missing parameter would have filled cannot be judged.
    if (report_->has(DiagnosticCode::kTemplateParameter)) return;
  }
  const base::JsonValue root = document_->root();
  const auto version = root.find_member("schema_version");
  const auto number = version ? version->find_int() : std::nullopt;
  if (number && *number != kSchemaVersion) {
    reporter_->at_value(
        DiagnosticCode::kUnsupportedVersion,
        *version,
        base::format("schema_version is {}; this program reads {}", *number, kSchemaVersion));
    return;
  }
  FieldReader reader(root, limits, *reporter_);
  visit_root(reader, spec_);
  reader.finish();
  has_spec_ = true;
}

ComponentSpec* GraphFile::find_component(std::string_view id) {
  const auto found = std::ranges::find(spec_.components, id, &ComponentSpec::id);
  return found == spec_.components.end() ? nullptr : &*found;
}

TextFormat format_of(std::string_view path) {
  return path.ends_with(".json") ? TextFormat::kJson : TextFormat::kYaml;
}

base::Result<std::string> read_text_file(const std::string& path, std::size_t text_bytes_max) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return base::fail(base::ErrorCode::kNotFound, "Cannot open the file", path);
  // In pieces, so that a large limit takes no memory for a small file.
  constexpr std::size_t kPieceBytes = std::size_t{64} << 10U;
  std::string text;
  while (file && text.size() <= text_bytes_max) {
    const std::size_t size = text.size();
    text.resize(std::min(size + kPieceBytes, text_bytes_max + 1));
    file.read(text.data() + size, static_cast<std::streamsize>(text.size() - size));
    text.resize(size + static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad() || (text.empty() && !file.eof())) {
    return base::fail(base::ErrorCode::kUnavailable, "Cannot read the file", path);
  }
  return text;
}

}  // namespace millrace::graph
