#pragma once

#include "plan/check/columns.h"
#include "plan/check/draft.h"

namespace millrace::plan {

/// Checks a plan without errors for what only shows when all its nodes are known: nodes that
/// nothing uses and columns that are replaced unread (warnings), fallbacks that lack columns
/// (errors). Puts the nodes into the order in which producers stand before consumers.
void check_use(Draft& draft, const ColumnAnalysis& analysis, const CheckContext& context);

}  // namespace millrace::plan
