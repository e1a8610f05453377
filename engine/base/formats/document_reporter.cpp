#include "base/formats/document_reporter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"

namespace millrace::base {

void DocumentReporter::add(Severity severity, CodeName code, const ValuePlace& place, Texts texts) {
  if (severity == Severity::kError && code != codes_.unknown_field) ++unread_count_;
  Problem problem{.code = code,
                  .severity = severity,
                  .message = std::move(texts.message),
                  .hint = std::move(texts.hint)};
  // Finding path and line takes a walk, so leave them out for a problem that is not kept.
  if (full()) return report_.add(std::move(problem));
  problem.subject = subject_;
  problem.path = path_of(place);
  if (place.source.line != 0) {
    problem.file = source_file_;
    problem.line = place.source.line;
    problem.column = place.source.column;
  } else {
    const TextPlace found = text_place(place.offset);
    problem.file = file_;
    problem.line = found.line;
    problem.column = found.column;
  }
  report_.add(std::move(problem));
}

std::string DocumentReporter::path_of(const ValuePlace& place) const {
  std::string path;
  const auto append_member = [&path](std::string_view name) {
    if (!path.empty()) path += '.';
    path += name;
  };
  JsonValue at = document_.root();
  while (at.index() != place.index) {
    std::uint32_t position = 0;
    std::optional<JsonValue> next;
    for (const JsonValue child : at.children()) {
      if (place.index < child.end_index()) {
        next = child;
        break;
      }
      ++position;
    }
    if (!next) break;
    if (at.is(JsonKind::kObject)) {
      append_member(next->key());
    } else {
      path += format("[{}]", position);
    }
    at = *next;
    if (origins_ == nullptr) continue;
    const auto origin = origins_->find(at.index());
    if (origin != origins_->end()) path = origin->second;
  }
  if (!place.absent_member.empty()) append_member(place.absent_member);
  return path;
}

TextPlace DocumentReporter::text_place(std::size_t offset) {
  const std::string_view text = document_.text();
  if (line_starts_.empty()) {
    line_starts_.push_back(0);
    for (std::size_t at = text.find('\n'); at != std::string_view::npos;
         at = text.find('\n', at + 1)) {
      line_starts_.push_back(at + 1);
    }
  }
  const auto after = std::ranges::upper_bound(line_starts_, offset);
  const std::size_t start = *(after - 1);
  TextPlace place = locate(text.substr(start), offset - start);
  place.line = static_cast<std::uint32_t>(after - line_starts_.begin());
  return place;
}

}  // namespace millrace::base
