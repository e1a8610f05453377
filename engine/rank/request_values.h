#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/formats/json_document.h"
#include "base/problems/problem_report.h"
#include "rank/rank_error.h"
#include "rank/request_content.h"
#include "rows/value.h"

namespace millrace::rank {

using RequestOutcome = std::expected<void, RankError>;

/// Gives the failure that a caller sees for a problem of the text of a request.
[[nodiscard]] RankError to_rank_error(RankErrorCode code, const base::Problem& problem);

/// A step from a value of a request into it: the name of a member or the position of an item.
using RequestStep = std::variant<std::string_view, std::size_t>;

/// Refuses a request for a value that could be judged only when its plan was known. The message
/// says where the value stands; `path` leads to it from the root.
[[nodiscard]] std::unexpected<RankError> refuse_given(const base::JsonDocument& document,
                                                      std::initializer_list<RequestStep> path,
                                                      RankErrorCode code,
                                                      std::string message);

/// Reads values of a request: texts, ids, scalars and lists of them. What is wrong is refused with
/// the place of the value.
/// Threading: not shared. Lifetime: borrows the document.
class RequestValues {
 public:
  explicit RequestValues(const base::JsonDocument& document) : document_(document) {}

  /// Reads a text that is not empty.
  [[nodiscard]] RequestOutcome read_text(base::JsonValue value, std::string_view& out) const;
  /// Reads an id: an integer, or one in a string.
  [[nodiscard]] RequestOutcome read_id(base::JsonValue value,
                                       std::string_view name,
                                       std::int64_t& out) const;
  /// Reads an integer within bounds.
  [[nodiscard]] RequestOutcome read_int(base::JsonValue value,
                                        std::string_view name,
                                        std::int64_t most,
                                        std::int64_t& out) const;
  /// Checks that a field is an array of at most so many items.
  [[nodiscard]] RequestOutcome check_array(base::JsonValue value,
                                           std::size_t count_max,
                                           std::string_view items) const;
  [[nodiscard]] RequestOutcome read_ids(base::JsonValue value,
                                        std::size_t count_max,
                                        std::vector<std::int64_t>& out) const;
  /// Reads an object whose members are scalars.
  [[nodiscard]] RequestOutcome read_values(base::JsonValue value,
                                           std::vector<NamedValue>& out) const;
  /// Reads a member of an object that stands under `name`.
  [[nodiscard]] RequestOutcome read_scalar(base::JsonValue member,
                                           std::string_view name,
                                           rows::Value& out) const;
  /// Refuses the request because of `value`.
  [[nodiscard]] std::unexpected<RankError> refuse(RankErrorCode code,
                                                  base::JsonValue value,
                                                  std::string message,
                                                  std::string hint = {}) const;
  [[nodiscard]] std::unexpected<RankError> wrong_type(base::JsonValue value,
                                                      std::string_view name,
                                                      std::string_view wanted) const;

 private:
  const base::JsonDocument& document_;
};

}  // namespace millrace::rank
