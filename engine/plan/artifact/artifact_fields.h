#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/formats/json_document.h"
#include "plan/reporter.h"

namespace millrace::plan {

/// The members of one JSON object of an artifact: gives them by type, reports what has another
/// type, what is missing and what nobody asked for.
/// Threading: not shared. Lifetime: borrows document and reporter.
class ObjectFields {
 public:
  ObjectFields(base::JsonValue object, Where where, Reporter& reporter)
      : object_(object), where_(std::move(where)), reporter_(reporter) {}

  /// Reports a value that is no object.
  [[nodiscard]] bool is_object();
  /// Reports every member that is not in `names`.
  void allow_only(std::initializer_list<std::string_view> names);

  [[nodiscard]] std::optional<base::JsonValue> find(std::string_view name) const {
    return object_.find_member(name);
  }
  /// The member under either spelling; both at once is a problem.
  [[nodiscard]] std::optional<base::JsonValue> find_either(std::string_view name,
                                                           std::string_view synonym);
  [[nodiscard]] std::optional<std::string_view> find_string(std::string_view name);
  [[nodiscard]] std::optional<bool> find_bool(std::string_view name);
  [[nodiscard]] std::optional<base::JsonValue> find_array(std::string_view name);
  /// One of `names`, as its place among them.
  [[nodiscard]] std::optional<std::size_t> find_choice(
      std::string_view name, std::initializer_list<std::string_view> names);

  void missing(std::string_view name);
  void wrong_type(std::string_view expected, base::JsonValue value, const Where& where);
  [[nodiscard]] Where where_of(base::JsonValue member) const {
    return where_.member(member.key(), member);
  }
  [[nodiscard]] const Where& where() const { return where_; }

 private:
  base::JsonValue object_;
  Where where_;
  Reporter& reporter_;
};

/// Gives `did you mean 'x'?`, or nothing.
[[nodiscard]] std::string suggest(std::string_view name,
                                  std::span<const std::string_view> candidates);

/// Says whether a text may be the name of a plan, node or slot: 1 to `bytes_max` bytes, none of
/// them a control character, not beginning with `$`.
[[nodiscard]] bool is_artifact_name(std::string_view text, std::size_t bytes_max);

/// Cuts a text for a message.
[[nodiscard]] std::string shortened(std::string_view text);

}  // namespace millrace::plan
