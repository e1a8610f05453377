#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/formats/json_document.h"
#include "plan/compiled_plan.h"
#include "plan/problem.h"

namespace millrace::plan {

/// A place in an artifact: the path of a value, the byte it begins at, and the node it belongs to.
struct Where {
  std::string path = {};
  std::uint32_t offset = 0;
  std::string node = {};  ///< id; empty outside nodes

  /// The place of a member of the value here.
  [[nodiscard]] Where member(std::string_view name, base::JsonValue value) const {
    return {.path = path.empty() ? std::string(name) : path + "." + std::string(name),
            .offset = value.offset(),
            .node = node};
  }
  /// The place of an item of the array here.
  [[nodiscard]] Where item(std::size_t index, base::JsonValue value) const {
    return {
        .path = path + "[" + std::to_string(index) + "]", .offset = value.offset(), .node = node};
  }
};

/// Collects the problems of one artifact and knows where they are: in the `.plan.ts` when the
/// artifact says so, else in the artifact.
/// Threading: not shared. Lifetime: borrows the document and the report.
class Reporter {
 public:
  Reporter(const base::JsonDocument& document, ProblemReport& report)
      : document_(document), report_(report) {}

  void set_source_file(std::string file) { source_file_ = std::move(file); }
  void set_span(std::string node, SourceRange range) { spans_[std::move(node)] = range; }
  [[nodiscard]] const std::string& source_file() const { return source_file_; }
  [[nodiscard]] SourceRange span(const std::string& node) const;
  [[nodiscard]] const std::map<std::string, SourceRange>& spans() const { return spans_; }

  void add(ProblemCode code, const Where& where, std::string message, std::string hint = {});
  [[nodiscard]] bool empty() const { return report_.empty(); }

 private:
  const base::JsonDocument& document_;
  ProblemReport& report_;
  std::string source_file_;
  std::map<std::string, SourceRange> spans_;
};

}  // namespace millrace::plan
