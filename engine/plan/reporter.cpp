#include "plan/reporter.h"

#include <string>
#include <utility>

#include "base/text_place.h"

namespace millrace::plan {

SourceRange Reporter::span(const std::string& node) const {
  const auto found = spans_.find(node);
  return found == spans_.end() ? SourceRange{} : found->second;
}

void Reporter::add(ProblemCode code, const Where& where, std::string message, std::string hint) {
  Problem problem{.code = code,
                  .path = where.path,
                  .file = {},
                  .message = std::move(message),
                  .hint = std::move(hint)};
  const SourceRange range = span(where.node);
  // Finding a place costs a walk over the text; not for problems that are only counted.
  if (report_.full()) return report_.add(std::move(problem));
  if (range.line != 0) {
    problem.file = source_file_;
    problem.line = range.line;
    problem.column = range.column;
  } else {
    const base::TextPlace place = document_.place(where.offset);
    problem.line = place.line;
    problem.column = place.column;
  }
  report_.add(std::move(problem));
}

}  // namespace millrace::plan
