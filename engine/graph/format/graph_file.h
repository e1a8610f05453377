#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/formats/json_document.h"
#include "base/result.h"
#include "graph/format/diagnostic.h"
#include "graph/format/limits.h"
#include "graph/format/reporter.h"
#include "graph/format/spec.h"

namespace millrace::graph {

enum class TextFormat : std::uint8_t { kYaml, kJson };

/// A graph file that was read: subgraphs and templates are written out, every field has its type,
/// and what is wrong so far is in the report.
/// Threading: not shared.
class GraphFile {
 public:
  GraphFile(std::string_view text, TextFormat format, const GraphLimits& limits);

  /// Whether there is a document to speak of; if not, `report` says why.
  [[nodiscard]] bool has_spec() const { return has_spec_; }
  [[nodiscard]] const GraphSpec& spec() const { return spec_; }
  /// A component of `spec`, for who changes it before it is compiled; nullptr if it is not there.
  [[nodiscard]] ComponentSpec* find_component(std::string_view id);
  [[nodiscard]] const DiagnosticReport& report() const { return *report_; }
  [[nodiscard]] DiagnosticReport& report() { return *report_; }
  /// Adds further diagnostics about `spec`. Must not be called without one.
  [[nodiscard]] Reporter& reporter() { return *reporter_; }

 private:
  void read(std::string_view text, TextFormat format, const GraphLimits& limits);
  void read_document(const GraphLimits& limits);

  // On the heap, so that values and reporter may point to them when this moves.
  std::unique_ptr<base::JsonDocument> document_;
  std::unique_ptr<base::OriginPaths> origins_;
  std::unique_ptr<DiagnosticReport> report_;
  std::unique_ptr<Reporter> reporter_;
  GraphSpec spec_;
  bool has_spec_ = false;
};

/// Gives the format that a file of that name has: JSON for `.json`, else YAML.
[[nodiscard]] TextFormat format_of(std::string_view path);

/// Reads a file, at most one byte more than `text_bytes_max`, which is enough for the reader to see
/// that it is too long. Fails when the file cannot be opened.
[[nodiscard]] base::Result<std::string> read_text_file(const std::string& path,
                                                       std::size_t text_bytes_max);

}  // namespace millrace::graph
