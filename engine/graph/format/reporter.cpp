#include "graph/format/reporter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/formats/json_document.h"
#include "base/text_place.h"
#include "graph/format/diagnostic.h"

namespace millrace::graph {

Reporter::Reporter(const base::JsonDocument& document,
                   const OriginPaths& origins,
                   DiagnosticReport& report)
    : document_(document), origins_(origins), report_(report) {
  line_starts_.push_back(0);
  const std::string_view text = document.text();
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    line_starts_.push_back(at + 1);
  }
}

void Reporter::at_value(DiagnosticCode code,
                        base::JsonValue value,
                        std::string message,
                        std::string fix) {
  add(code,
      {.path = path_of(value.index()),
       .place = place_of(value.offset()),
       .message = std::move(message),
       .suggested_fix = std::move(fix)});
}

void Reporter::at_key(DiagnosticCode code,
                      base::JsonValue member,
                      std::string message,
                      std::string fix) {
  add(code,
      {.path = path_of(member.index()),
       .place = place_of(member.key_offset()),
       .message = std::move(message),
       .suggested_fix = std::move(fix)});
}

void Reporter::at_member(DiagnosticCode code,
                         const std::optional<base::JsonValue>& object,
                         std::string_view member,
                         std::string message,
                         std::string fix) {
  const base::JsonValue owner = object.value_or(document_.root());
  at_value(code, owner.find_member(member).value_or(owner), std::move(message), std::move(fix));
}

void Reporter::add(DiagnosticCode code, Diagnostic diagnostic) {
  diagnostic.code = code;
  if (severity_of(code) == Severity::kError && code != DiagnosticCode::kUnknownField) {
    ++unread_count_;
  }
  report_.add(std::move(diagnostic));
}

std::string Reporter::path_of(std::uint32_t index) const {
  std::string path;
  if (report_.full()) return path;  // it would not be kept
  base::JsonValue at = document_.root();
  while (at.index() != index) {
    std::uint32_t position = 0;
    const bool is_object = at.is(base::JsonKind::kObject);
    for (const base::JsonValue child : at.children()) {
      if (index < child.end_index()) {
        at = child;
        break;
      }
      ++position;
    }
    if (is_object) {
      if (!path.empty()) path += '.';
      path += at.key();
    } else {
      path += base::format("[{}]", position);
    }
    const auto origin = origins_.find(at.index());
    if (origin != origins_.end()) path = origin->second;
  }
  return path;
}

base::TextPlace Reporter::place_of(std::size_t offset) const {
  if (report_.full()) return {};  // it would not be kept, and counting columns takes time
  const auto after = std::ranges::upper_bound(line_starts_, offset);
  const std::size_t start = *(after - 1);
  base::TextPlace place = base::locate(document_.text().substr(start), offset - start);
  place.line = static_cast<std::uint32_t>(after - line_starts_.begin());
  return place;
}

}  // namespace millrace::graph
