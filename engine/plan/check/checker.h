#pragma once

#include <vector>

#include "plan/check/columns.h"
#include "plan/check/draft.h"
#include "plan/check/expr_scope.h"

namespace millrace::plan {

/// Checks what depends on the columns that reach a node: the keys it reads, its expressions, which
/// are compiled here, and the plan's output keys. Gives an index to each param, request field and
/// viewer field that a node with `live[node]` reads. Sets `waits_for` and `viewer_node`.
void check_columns(Draft& draft,
                   const std::vector<bool>& live,
                   const ColumnAnalysis& analysis,
                   const CheckContext& context);

}  // namespace millrace::plan
