#pragma once

#include <string>

#include "apps/rankd/suites/suite_runner.h"

namespace millrace::rankd {

/// For people: a line per case, failures below it, and the sums last.
[[nodiscard]] std::string to_text(const SuiteResults& results);
/// For programs: one object on one line.
[[nodiscard]] std::string to_json(const SuiteResults& results);
/// For build servers: JUnit's XML, a `testsuite` per file.
[[nodiscard]] std::string to_junit(const SuiteResults& results);

}  // namespace millrace::rankd
