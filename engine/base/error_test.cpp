#include "base/error.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

Error sample() { return Error(ErrorCode::kInvalidPlan, "Unknown node: x", "nodes[3].inputs[0]"); }

TEST(ErrorTest, KeepsCodeMessageAndPlace) {
  const Error error = sample();
  EXPECT_EQ(error.code(), ErrorCode::kInvalidPlan);
  EXPECT_EQ(error.message(), "Unknown node: x");
  EXPECT_EQ(error.where(), "nodes[3].inputs[0]");
}

TEST(ErrorTest, PrintsCodeMessageAndPlace) {
  EXPECT_EQ(sample().to_string(), "invalid_plan: Unknown node: x (at nodes[3].inputs[0])");
  EXPECT_EQ(Error(ErrorCode::kBusy, "Full").to_string(), "busy: Full");
}

TEST(ErrorTest, CopyIsIndependent) {
  Error copy(ErrorCode::kBusy, "Full");
  {
    const Error original = sample();
    copy = original;
    EXPECT_NE(&copy.message(), &original.message());
  }
  EXPECT_EQ(copy.to_string(), sample().to_string());
}

TEST(ErrorTest, SurvivesAssignmentFromItself) {
  Error error = sample();
  const Error& same = error;
  error = same;
  EXPECT_EQ(error.message(), "Unknown node: x");
}

TEST(ErrorTest, MovesItsText) {
  Error original = sample();
  const std::string* text = &original.message();
  const Error moved = std::move(original);
  EXPECT_EQ(&moved.message(), text);
}

TEST(ErrorTest, EveryCodeHasItsOwnName) {
  EXPECT_EQ(to_string(ErrorCode::kInvalidArgument), "invalid_argument");
  EXPECT_EQ(to_string(ErrorCode::kInvalidPlan), "invalid_plan");
  EXPECT_EQ(to_string(ErrorCode::kInvalidExpression), "invalid_expression");
  EXPECT_EQ(to_string(ErrorCode::kNotFound), "not_found");
  EXPECT_EQ(to_string(ErrorCode::kBusy), "busy");
  EXPECT_EQ(to_string(ErrorCode::kCancelled), "cancelled");
  EXPECT_EQ(to_string(ErrorCode::kDeadlineExceeded), "deadline_exceeded");
  EXPECT_EQ(to_string(ErrorCode::kTimeout), "timeout");
  EXPECT_EQ(to_string(ErrorCode::kNodeFailed), "node_failed");
  EXPECT_EQ(to_string(ErrorCode::kResourceExhausted), "resource_exhausted");
  EXPECT_EQ(to_string(ErrorCode::kUnavailable), "unavailable");
  EXPECT_EQ(to_string(ErrorCode::kInternal), "internal");
}

}  // namespace
}  // namespace millrace::base
