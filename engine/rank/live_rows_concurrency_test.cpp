#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "rank/live_rows.h"
#include "rank/rank_fixture.h"
#include "rows/row_set.h"

namespace millrace::rank::testing {
namespace {

/// A node that passes its input on if it fails.
class LiveRowsConcurrencyTest : public ::testing::Test {
 protected:
  static constexpr int kTurns = 500;

  RankRig rig_{1};
  const LoadedPlan& plan_ = rig_.load(plan_text(
      source_node(3) +
          node("a", "take", "src", R"({"count": 2})", R"("on_failure": {"use": "input"})"),
      R"(["a"])"));
  const std::uint32_t source_ = plan_.plan().find_node("src");
  const std::uint32_t taken_ = plan_.plan().find_node("a");
  const RowReads reads_{plan_.plan(), plan_.topology()};
  const rows::RowSet made_ = *rows_of_ids(std::vector<std::int64_t>{1, 2, 3});
};

// A body copies its input while its fallback, which reads the same input, is taken: nobody reads
// rows that were freed, and when both are done they are free. ThreadSanitizer watches.
TEST_F(LiveRowsConcurrencyTest, D12_ABodyThatIsGivenUpWhileItReadsAndItsFallback) {
  for (int turn = 0; turn < kTurns; ++turn) {
    LiveRows rows(reads_);
    rows.open(false);
    rows.publish(source_, made_);
    std::atomic<int> ready{0};
    const auto meet = [&ready] {
      ++ready;
      while (ready < 2) std::this_thread::yield();
    };
    {
      const std::jthread body([&] {
        meet();
        if (!rows.try_begin_reading(taken_)) return;
        const rows::RowSet* const input = rows.find(source_);
        ASSERT_NE(input, nullptr);
        EXPECT_EQ(rows::RowSet(*input).size(), 3U);
        rows.end_reading(taken_);
      });
      meet();
      const rows::RowSet* const input = rows.find(source_);
      ASSERT_NE(input, nullptr);
      rows.stand_in(taken_, *input);
    }
    EXPECT_EQ(rows.find(source_), nullptr);
    ASSERT_NE(rows.find(taken_), nullptr);
    EXPECT_EQ(rows.find(taken_)->size(), 3U);
  }
}

// A fallback may be taken before its input is there, just while that comes.
TEST_F(LiveRowsConcurrencyTest, D12_AFallbackThatIsTakenWhileItsInputIsPublished) {
  for (int turn = 0; turn < kTurns; ++turn) {
    LiveRows rows(reads_);
    rows.open(false);
    {
      const std::jthread body([&] { rows.publish(source_, made_); });
      const rows::RowSet* const input = rows.find(source_);
      rows.stand_in(taken_, input != nullptr ? *input : made_);
    }
    EXPECT_EQ(rows.find(source_), nullptr) << "freed by whoever came last";
    EXPECT_NE(rows.find(taken_), nullptr);
  }
}

}  // namespace
}  // namespace millrace::rank::testing
