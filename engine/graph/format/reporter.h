#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/formats/json_document.h"
#include "base/text_place.h"
#include "graph/format/diagnostic.h"

namespace millrace::graph {

/// Paths of values that stand elsewhere in the file than in the document, by index: those that
/// come from subgraphs and templates.
using OriginPaths = std::map<std::uint32_t, std::string>;

/// Adds diagnostics to a report and finds path, line and column of the values they are about.
/// Threading: not shared. Lifetime: borrows document, origins and report.
class Reporter {
 public:
  Reporter(const base::JsonDocument& document,
           const OriginPaths& origins,
           DiagnosticReport& report);

  /// The place is where the value begins.
  void at_value(DiagnosticCode code,
                base::JsonValue value,
                std::string message,
                std::string fix = {});
  /// The place is where the name of the member begins.
  void at_key(DiagnosticCode code,
              base::JsonValue member,
              std::string message,
              std::string fix = {});
  /// The place is the value of that member, or the object if it does not have it.
  void at_member(DiagnosticCode code,
                 const std::optional<base::JsonValue>& object,
                 std::string_view member,
                 std::string message,
                 std::string fix = {});

  /// How many errors were added other than fields that nobody knows: those leave a value unread.
  [[nodiscard]] std::size_t unread_count() const { return unread_count_; }

 private:
  void add(DiagnosticCode code, Diagnostic diagnostic);
  [[nodiscard]] std::string path_of(std::uint32_t index) const;
  [[nodiscard]] base::TextPlace place_of(std::size_t offset) const;

  const base::JsonDocument& document_;
  const OriginPaths& origins_;
  DiagnosticReport& report_;
  std::vector<std::size_t> line_starts_;
  std::size_t unread_count_ = 0;
};

}  // namespace millrace::graph
