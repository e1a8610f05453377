#include "graph/format/reporter.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"
#include "base/problems/problem_report.h"
#include "graph/format/diagnostic.h"

namespace millrace::graph {

Reporter::Reporter(const base::JsonDocument& document,
                   const base::OriginPaths& origins,
                   DiagnosticReport& report)
    : problems_(document, report, reader_codes()) {
  problems_.set_origins(origins);
}

void Reporter::at_value(DiagnosticCode code,
                        base::JsonValue value,
                        std::string message,
                        std::string fix) {
  add(code, base::ValuePlace{}.child(value), std::move(message), std::move(fix));
}

void Reporter::at_key(DiagnosticCode code,
                      base::JsonValue member,
                      std::string message,
                      std::string fix) {
  add(code, base::ValuePlace{}.key(member), std::move(message), std::move(fix));
}

void Reporter::at_member(DiagnosticCode code,
                         const std::optional<base::JsonValue>& object,
                         std::string_view member,
                         std::string message,
                         std::string fix) {
  const base::JsonValue owner = object.value_or(problems_.document().root());
  at_value(code, owner.find_member(member).value_or(owner), std::move(message), std::move(fix));
}

void Reporter::add(DiagnosticCode code,
                   const base::ValuePlace& place,
                   std::string message,
                   std::string fix) {
  if (severity_of(code) == base::Severity::kError) {
    problems_.add(code, place, std::move(message), std::move(fix));
  } else {
    problems_.warn(code, place, std::move(message), std::move(fix));
  }
}

}  // namespace millrace::graph
