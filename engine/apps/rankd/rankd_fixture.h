#pragma once

#include <expected>
#include <vector>

#include <gtest/gtest.h>

#include "apps/rankd/flags.h"
#include "host/host_fixture.h"

// For tests only: the project of this repository, and command lines.

namespace millrace::rankd::testing {

using host::testing::kBrokenPlan;
using host::testing::open_project;
using host::testing::start_engine;
using host::testing::TempFolder;

/// Flags that point at the repository, with few threads.
inline Flags repository_flags() { return host::testing::repository_settings<Flags>(); }

inline std::expected<Flags, EarlyExit> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "rankd");
  return read_flags(static_cast<int>(words.size()), words.data());
}

}  // namespace millrace::rankd::testing
