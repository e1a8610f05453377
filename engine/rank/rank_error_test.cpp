#include "rank/rank_error.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace millrace::rank {
namespace {

TEST(RankErrorTest, REQ10_TheTableHasEveryCodeOnceInOrder) {
  std::set<std::string_view> names;
  std::size_t index = 0;
  for (const RankErrorEntry& entry : error_table()) {
    EXPECT_EQ(static_cast<std::size_t>(entry.code), index++);
    EXPECT_EQ(to_string(entry.code), entry.name);
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_TRUE(entry.meaning.ends_with('.')) << entry.name;
  }
  EXPECT_EQ(index, static_cast<std::size_t>(RankErrorCode::kInternal) + 1);
}

TEST(RankErrorTest, REQ10_JsonLeavesOutWhatIsNotKnown) {
  std::string out;
  RankError{.code = RankErrorCode::kBusy, .message = "later"}.append_json(out);
  EXPECT_EQ(out, R"({"code":"busy","message":"later"})");
}

TEST(RankErrorTest, REQ10_JsonNamesNodeOpAndSource) {
  std::string out;
  RankError{.code = RankErrorCode::kNodeFailed,
            .message = "no",
            .node = "n",
            .op = "vm",
            .source = "a.plan.ts:3:5"}
      .append_json(out);
  EXPECT_EQ(
      out,
      R"({"code":"node_failed","message":"no","node":"n","op":"vm","source":"a.plan.ts:3:5"})");
}

TEST(RankErrorTest, REQ10_EveryErrorOfANodeHasACode) {
  using base::ErrorCode;
  EXPECT_EQ(rank_code_of(ErrorCode::kBusy), RankErrorCode::kBusy);
  EXPECT_EQ(rank_code_of(ErrorCode::kCancelled), RankErrorCode::kCancelled);
  EXPECT_EQ(rank_code_of(ErrorCode::kDeadlineExceeded), RankErrorCode::kDeadlineExceeded);
  EXPECT_EQ(rank_code_of(ErrorCode::kTimeout), RankErrorCode::kNodeTimeout);
  EXPECT_EQ(rank_code_of(ErrorCode::kUnavailable), RankErrorCode::kEndpointUnavailable);
  EXPECT_EQ(rank_code_of(ErrorCode::kResourceExhausted), RankErrorCode::kLimitReached);
  EXPECT_EQ(rank_code_of(ErrorCode::kInternal), RankErrorCode::kInternal);
  EXPECT_EQ(rank_code_of(ErrorCode::kNodeFailed), RankErrorCode::kNodeFailed);
  EXPECT_EQ(rank_code_of(ErrorCode::kInvalidArgument), RankErrorCode::kNodeFailed);
}

}  // namespace
}  // namespace millrace::rank
