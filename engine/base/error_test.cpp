#include "base/error.h"

#include <utility>

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

TEST(ErrorTest, KeepsCodeMessageAndPlace) {
  const Error error(
      ErrorCode::kInvalidPlan, "Input names an unknown node: x", "nodes[3].inputs[0]");
  EXPECT_EQ(error.code(), ErrorCode::kInvalidPlan);
  EXPECT_EQ(error.message(), "Input names an unknown node: x");
  EXPECT_EQ(error.where(), "nodes[3].inputs[0]");
}

}  // namespace
}  // namespace millrace::base
