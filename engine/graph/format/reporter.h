#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"
#include "graph/format/diagnostic.h"

namespace millrace::graph {

/// Adds diagnostics about values of one document to a report, errors and warnings as their code
/// says.
/// Threading: not shared. Lifetime: borrows document, origins and report.
class Reporter {
 public:
  Reporter(const base::JsonDocument& document,
           const base::OriginPaths& origins,
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

  /// What readers of the document's objects report to.
  [[nodiscard]] base::DocumentReporter& problems() { return problems_; }

 private:
  void add(DiagnosticCode code,
           const base::ValuePlace& place,
           std::string message,
           std::string fix);

  base::DocumentReporter problems_;
};

}  // namespace millrace::graph
