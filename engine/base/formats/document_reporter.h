#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/formats/json_document.h"
#include "base/problems/problem_report.h"
#include "base/text_place.h"

namespace millrace::base {

/// Where a value stands in a document. Its path is found only when a problem is reported.
struct ValuePlace {
  std::uint32_t index = 0;  ///< of the value, see `JsonValue::index`; 0 is the root
  std::uint32_t offset = 0;
  /// Where a person wrote the value, if the document was generated from another file.
  SourceRange source = {};
  std::string absent_member = {};  ///< of the object here, if that is what is meant

  /// The place of a member or item of the value here.
  [[nodiscard]] ValuePlace child(JsonValue value) const {
    return {.index = value.index(), .offset = value.offset(), .source = source};
  }
  /// The place of the name of a member of the object here.
  [[nodiscard]] ValuePlace key(JsonValue member) const {
    return {.index = member.index(), .offset = member.key_offset(), .source = source};
  }
};

/// Paths of values that a person wrote elsewhere in the file than they stand in the document, by
/// index: those that come from templates and the like.
using OriginPaths = std::map<std::uint32_t, std::string>;

/// The caller's codes for the problems that `ValueReader` and `ObjectReader` find themselves.
struct ReaderCodes {
  CodeName wrong_type;     ///< a value of another type than expected
  CodeName unknown_field;  ///< a member that nothing reads
  CodeName missing_field;  ///< a required member is absent
  CodeName duplicate_key;  ///< a field is given under both its names
  CodeName bad_value;      ///< a word that is not one of those allowed
  CodeName out_of_range;   ///< a number below its minimum or above its maximum
  CodeName bad_duration;   ///< a duration without unit, not above 0 or longer than an hour
  CodeName too_large;      ///< too many items, or too many bytes of text
};

/// Adds the problems of one document to a report and says where they are: in the file that the
/// document was generated from when the value's place knows it, else in the document.
/// Threading: not shared. Lifetime: borrows the document, the report, the codes and the origins.
class DocumentReporter {
 public:
  /// `file` names the document in the report; empty if whoever prints the report names it.
  DocumentReporter(const JsonDocument& document,
                   ProblemReport& report,
                   const ReaderCodes& codes,
                   std::string file = {})
      : document_(document), report_(report), codes_(codes), file_(std::move(file)) {}

  /// Says which values have another path than the one at which they stand.
  void set_origins(const OriginPaths& origins) { origins_ = &origins; }
  /// Names the file that the document was generated from.
  void set_source_file(std::string file) { source_file_ = std::move(file); }
  [[nodiscard]] const std::string& source_file() const { return source_file_; }
  [[nodiscard]] const JsonDocument& document() const { return document_; }
  [[nodiscard]] const ReaderCodes& codes() const { return codes_; }
  [[nodiscard]] bool has_errors() const { return report_.has_errors(); }
  /// Number of problems so far, kept or not.
  [[nodiscard]] std::size_t count() const {
    return report_.problems().size() + report_.dropped_count();
  }
  /// Number of errors so far other than unknown fields: each leaves a value unread.
  [[nodiscard]] std::size_t unread_count() const { return unread_count_; }
  /// Names what the next problems belong to, as `node 'top' (sort)`; empty: nothing in particular.
  void set_subject(std::string subject) { subject_ = std::move(subject); }
  /// Says whether the next problem will only be counted.
  [[nodiscard]] bool full() const { return report_.full(); }

  void add(CodeName code, const ValuePlace& place, std::string message, std::string hint = {}) {
    add(Severity::kError, code, place, {std::move(message), std::move(hint)});
  }
  void warn(CodeName code, const ValuePlace& place, std::string message, std::string hint = {}) {
    add(Severity::kWarning, code, place, {std::move(message), std::move(hint)});
  }
  /// The same with a hint that is costly to find: `make_hint` is called only if it will be shown.
  template <std::invocable MakeHint>
  void add(CodeName code, const ValuePlace& place, std::string message, const MakeHint& make_hint) {
    add(code, place, std::move(message), full() ? std::string() : make_hint());
  }

 private:
  struct Texts {
    std::string message;
    std::string hint;
  };
  void add(Severity severity, CodeName code, const ValuePlace& place, Texts texts);
  [[nodiscard]] std::string path_of(const ValuePlace& place) const;
  [[nodiscard]] TextPlace text_place(std::size_t offset);

  const JsonDocument& document_;
  ProblemReport& report_;
  const ReaderCodes& codes_;
  std::string file_;
  std::string source_file_;
  std::string subject_;
  const OriginPaths* origins_ = nullptr;
  std::vector<std::size_t> line_starts_;  // of the document; empty until a problem needs them
  std::size_t unread_count_ = 0;
};

}  // namespace millrace::base
