#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explorer.h"
#include "memory.h"

namespace millrace::model {

/// Explores all executions of `Program` and prints how many there were.
template <class Program>
Report explore_all(const Options& options = {}) {
  const Report report = explore(options, [] { return std::make_unique<Program>(); });
  std::printf("%zu executions, %zu states\n", report.execution_count, report.state_count);
  return report;
}

/// Expects that no execution of `Program` fails.
template <class Program>
void expect_holds(const Options& options = {}) {
  const Report report = explore_all<Program>(options);
  EXPECT_EQ(report.failure.value_or(""), "");
  EXPECT_TRUE(report.complete);
}

/// Expects that the explorer finds the bug planted in `Program`.
template <class Program>
void expect_caught(StoreOrder order, const std::string& what) {
  const Report report = explore_all<Program>({.store_order = order});
  ASSERT_TRUE(report.failure.has_value()) << "The planted bug was not caught";
  EXPECT_THAT(report.failure.value_or(""), testing::StartsWith(what));
}

}  // namespace millrace::model
