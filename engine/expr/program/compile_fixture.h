#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include <gtest/gtest.h>

#include "base/result.h"
#include "expr/compiled_expr.h"
#include "expr/syntax/scope_fixture.h"

namespace millrace::expr::testing {

inline constexpr std::int64_t kIntMin = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kIntMax = std::numeric_limits<std::int64_t>::max();

/// The expression, compiled in the sample scope; fails the test if it does not compile.
inline CompiledExprRef compiled(std::string_view text) {
  base::Result<CompiledExprRef> result = compile(text, sample_scope());
  EXPECT_TRUE(result) << result.error().to_string();
  return *result;
}

}  // namespace millrace::expr::testing
