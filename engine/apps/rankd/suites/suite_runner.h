#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/rankd/suites/suite.h"
#include "base/clock.h"
#include "host/settings.h"

namespace millrace::rankd {

struct CaseResult {
  std::string name = {};
  std::uint32_t line = 0;
  base::Duration took{};
  std::vector<std::string> failures = {};  ///< empty: passed
};

/// What came of one file of tests.
struct SuiteResult {
  std::string file = {};
  /// Why none of its cases ran; empty: all did.
  std::string problems = {};
  std::vector<CaseResult> cases = {};

  [[nodiscard]] std::size_t failed_count() const;
};

/// The files of tests (`*.test.json`) of a folder, in order of name.
[[nodiscard]] std::vector<std::string> find_suites(const std::string& folder);

/// Reads the file and asks an engine of its own all its requests, one after the other.
[[nodiscard]] SuiteResult run_suite(const host::Settings& settings, const std::string& path);

/// All suites of a call, and whether all cases passed.
struct SuiteResults {
  std::vector<SuiteResult> suites;

  [[nodiscard]] std::size_t passed_count() const;
  /// Cases that failed; a suite that could not run counts as one.
  [[nodiscard]] std::size_t failed_count() const;
};

}  // namespace millrace::rankd
