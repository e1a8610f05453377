#pragma once

#include <expected>
#include <string>

#include "apps/rankd/suites/suite.h"
#include "base/problems/problem_report.h"

namespace millrace::rankd {

/// Reads a file of tests, and the data file that it names. All problems are in one report, each
/// with line and column.
[[nodiscard]] std::expected<Suite, base::ProblemReport> read_suite(const std::string& path);
/// The same from text. `path` is for messages and is where names of data files start from.
[[nodiscard]] std::expected<Suite, base::ProblemReport> parse_suite(const std::string& text,
                                                                    const std::string& path);

}  // namespace millrace::rankd
