#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"
#include "rows/value.h"
#include "runtime/run.h"
#include "runtime/topology/node.h"
#include "tasks/request_candidates.h"

namespace millrace::rank {

/// A scalar that a request gives under a name.
/// Lifetime: borrows the request's document.
struct NamedValue {
  std::string_view name;
  rows::Value value;
};

/// One request, checked as far as that is possible without knowing the plan.
/// Threading: not shared. Lifetime: texts borrow from `document`.
struct Request {
  base::JsonDocument document;

  std::string_view request_id;  ///< empty when the caller gave none
  std::int64_t user_id = 0;
  std::string_view plan;  ///< empty: the default plan
  std::string_view plan_version;
  std::vector<NamedValue> fragment_versions;
  std::vector<NamedValue> params;           ///< what `$req.name` reads
  std::vector<NamedValue> param_overrides;  ///< what `$name` reads
  std::optional<base::Duration> deadline;
  std::optional<std::int64_t> limit;
  std::vector<std::int64_t> exclude;  ///< sorted, each once
  std::optional<std::vector<std::string_view>> output_keys;
  std::optional<tasks::RequestCandidates> candidates;
  runtime::Priority priority = runtime::Priority::kNormal;
  std::uint64_t seed = 0;
  std::optional<std::vector<std::int64_t>> explain_ids;
  bool trace = false;
  runtime::InlineOverrides scheduling;  ///< only where the operator allows it

  /// Removes everything that was read, and keeps the memory for the next request.
  void clear() {
    request_id = {};
    user_id = 0;
    plan = {};
    plan_version = {};
    fragment_versions.clear();
    params.clear();
    param_overrides.clear();
    deadline.reset();
    limit.reset();
    exclude.clear();
    output_keys.reset();
    candidates.reset();
    priority = runtime::Priority::kNormal;
    seed = 0;
    explain_ids.reset();
    trace = false;
    scheduling = {};
  }
};

/// Bounds on a request.
struct RequestLimits {
  base::JsonLimits json{.text_bytes_max = 1UL << 20,
                        .string_bytes_max = 64UL << 10,
                        .value_count_max = 100'000,
                        .depth_max = 8};
  std::size_t exclude_max = 50'000;
  std::size_t explain_ids_max = 1'000;
  std::size_t candidates_max = 10'000;
  std::size_t output_keys_max = 1'000;
  /// The class of requests that name none.
  runtime::Priority priority = runtime::Priority::kNormal;
};

}  // namespace millrace::rank
