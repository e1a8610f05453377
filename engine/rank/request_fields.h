#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/formats/json_document.h"
#include "rank/request_content.h"
#include "rank/request_values.h"
#include "tasks/request_candidates.h"

namespace millrace::rank {

/// Reads the fields of a request in one pass: each member is handed to the method of its name.
///
/// It does not use `base::ObjectReader`, which looks up every field by name, builds the path of
/// every value and goes on after a problem. That would cost time in every good request, and a
/// refused one reports its first problem only. Problems, suggestions and the names of types are
/// those of `base`.
/// Threading: not shared. Lifetime: borrows both arguments.
class RequestFields {
 public:
  RequestFields(Request& request, const RequestLimits& limits)
      : request_(request), limits_(limits), values_(request.document) {}

  /// Reads one member of the request.
  [[nodiscard]] RequestOutcome read(base::JsonValue member);
  /// Names of all fields that a request may have.
  [[nodiscard]] static std::vector<std::string_view> names();

 private:
  using Read = RequestOutcome (RequestFields::*)(base::JsonValue);
  struct Field {
    std::string_view name;
    Read read;
  };
  static const std::array<Field, 17> kFields;

  [[nodiscard]] RequestOutcome read_request_id(base::JsonValue value);
  [[nodiscard]] RequestOutcome read_user_id(base::JsonValue value);
  [[nodiscard]] RequestOutcome read_plan(base::JsonValue value);
  [[nodiscard]] RequestOutcome read_plan_version(base::JsonValue value);
  [[nodiscard]] RequestOutcome read_fragment_versions(base::JsonValue value);
  [[nodiscard]] RequestOutcome read_params(base::JsonValue value);
  [[nodiscard]] RequestOutcome read_param_overrides(base::JsonValue value);
  [[nodiscard]] RequestOutcome read_deadline(base::JsonValue value);
  [[nodiscard]] RequestOutcome read_limit(base::JsonValue value);
  [[nodiscard]] RequestOutcome read_exclude(base::JsonValue value);
  [[nodiscard]] RequestOutcome read_output_keys(base::JsonValue value);
  [[nodiscard]] RequestOutcome read_candidates(base::JsonValue value);
  [[nodiscard]] RequestOutcome read_candidate(base::JsonValue value, tasks::RequestCandidates& out);
  [[nodiscard]] RequestOutcome read_priority(base::JsonValue value);
  [[nodiscard]] RequestOutcome read_seed(base::JsonValue value);
  [[nodiscard]] RequestOutcome read_explain(base::JsonValue value);
  [[nodiscard]] RequestOutcome read_trace(base::JsonValue value);
  [[nodiscard]] RequestOutcome read_scheduling(base::JsonValue value);

  Request& request_;
  const RequestLimits& limits_;
  const RequestValues values_;
};

}  // namespace millrace::rank
