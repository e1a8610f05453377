#pragma once

#include <string>
#include <vector>

#include "reference_run.h"

namespace millrace::graph_reference {

/// Component, epoch, microseconds, value, correlation and causation of each line.
[[nodiscard]] std::vector<std::string> list_lines(const Outcome& outcome);
/// Domain, number, begin and end in microseconds of each epoch.
[[nodiscard]] std::vector<std::string> list_epochs(const Outcome& outcome);
/// Component, epoch, begin and duration in microseconds of each invocation.
[[nodiscard]] std::vector<std::string> list_executions(const Outcome& outcome);

/// Says where two outcomes differ, at most a few lines for each kind; empty if they agree. Lines
/// and spans are compared per component and domain, because nothing fixes their order beyond that.
/// Metrics are compared by the names that `expected` has; what `actual` lacks counts as 0.
[[nodiscard]] std::string describe_difference(const Outcome& expected, const Outcome& actual);

}  // namespace millrace::graph_reference
