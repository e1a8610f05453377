#include "base/formats/document_reporter.h"

#include <cstddef>
#include <string>
#include <utility>

namespace millrace::base {

ValuePlace ValuePlace::member(JsonValue value) const {
  std::string member_path = path;
  if (!member_path.empty()) member_path += '.';
  member_path += value.key();
  return {.path = std::move(member_path), .offset = value.offset(), .source = source};
}

ValuePlace ValuePlace::item(std::size_t index, JsonValue value) const {
  return {
      .path = path + "[" + std::to_string(index) + "]", .offset = value.offset(), .source = source};
}

void DocumentReporter::add(Severity severity, CodeName code, const ValuePlace& place, Texts texts) {
  Problem problem{.code = code,
                  .severity = severity,
                  .message = std::move(texts.message),
                  .hint = std::move(texts.hint)};
  // Finding the line takes a walk over the text, so leave it out for a problem that is not kept.
  if (full()) return report_.add(std::move(problem));
  problem.subject = subject_;
  problem.path = place.path;
  if (place.source.line != 0) {
    problem.file = source_file_;
    problem.line = place.source.line;
    problem.column = place.source.column;
  } else {
    const TextPlace text_place = document_.place(place.offset);
    problem.file = file_;
    problem.line = text_place.line;
    problem.column = text_place.column;
  }
  report_.add(std::move(problem));
}

}  // namespace millrace::base
