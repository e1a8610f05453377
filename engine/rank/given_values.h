#pragma once

#include <expected>

#include "plan/registry/registry.h"
#include "rank/rank_error.h"
#include "rank/request_content.h"
#include "rows/column.h"
#include "rows/value.h"

namespace millrace::rank {

/// Says whether a value of a request may be used for a name of that type. Null may always, and an
/// int where a float is wanted.
[[nodiscard]] bool fits(const rows::Value& value, rows::ColumnType type);

/// Checks that the keys of a request's candidates, which it has, are registered and the values of
/// their types.
[[nodiscard]] std::expected<void, RankError> check_candidates(const Request& request,
                                                              const plan::Registry& registry);

}  // namespace millrace::rank
