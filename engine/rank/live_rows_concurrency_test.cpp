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

// A body copies its input while its fallback, which reads the same input, is taken: nobody reads
// rows that were freed, and when both are done they are free. ThreadSanitizer watches.
TEST(LiveRowsConcurrencyTest, D12_ABodyThatIsGivenUpWhileItReadsAndItsFallback) {
  RankRig rig(1);
  const LoadedPlan& plan = rig.load(plan_text(
      source_node(3) +
          node("a", "take", "src", R"({"count": 2})", R"("on_failure": {"use": "input"})"),
      R"(["a"])"));
  const std::uint32_t source = plan.plan().find_node("src");
  const std::uint32_t taken = plan.plan().find_node("a");
  const RowReads reads(plan.plan(), plan.topology());
  const std::vector<std::int64_t> ids{1, 2, 3};
  const rows::RowSet made = *rows_of_ids(ids);
  constexpr int kTurns = 500;
  for (int turn = 0; turn < kTurns; ++turn) {
    LiveRows rows(reads);
    rows.open(false);
    rows.publish(source, made);
    std::atomic<int> ready{0};
    const auto meet = [&ready] {
      ++ready;
      while (ready < 2) std::this_thread::yield();
    };
    {
      const std::jthread body([&] {
        meet();
        if (!rows.try_begin_reading(taken)) return;
        const rows::RowSet* const input = rows.find(source);
        ASSERT_NE(input, nullptr);
        EXPECT_EQ(rows::RowSet(*input).size(), 3U);
        rows.end_reading(taken);
      });
      meet();
      const rows::RowSet* const input = rows.find(source);
      ASSERT_NE(input, nullptr);
      rows.stand_in(taken, *input);
    }
    EXPECT_EQ(rows.find(source), nullptr);
    ASSERT_NE(rows.find(taken), nullptr);
    EXPECT_EQ(rows.find(taken)->size(), 3U);
  }
}

// A fallback may be taken before its input is there, just while that comes.
TEST(LiveRowsConcurrencyTest, D12_AFallbackThatIsTakenWhileItsInputIsPublished) {
  RankRig rig(1);
  const LoadedPlan& plan = rig.load(plan_text(
      source_node(3) +
          node("a", "take", "src", R"({"count": 2})", R"("on_failure": {"use": "input"})"),
      R"(["a"])"));
  const std::uint32_t source = plan.plan().find_node("src");
  const std::uint32_t taken = plan.plan().find_node("a");
  const RowReads reads(plan.plan(), plan.topology());
  const std::vector<std::int64_t> ids{1, 2, 3};
  const rows::RowSet made = *rows_of_ids(ids);
  constexpr int kTurns = 500;
  for (int turn = 0; turn < kTurns; ++turn) {
    LiveRows rows(reads);
    rows.open(false);
    {
      const std::jthread body([&] { rows.publish(source, made); });
      const rows::RowSet* const input = rows.find(source);
      rows.stand_in(taken, input != nullptr ? *input : made);
    }
    EXPECT_EQ(rows.find(source), nullptr) << "freed by whoever came last";
    EXPECT_NE(rows.find(taken), nullptr);
  }
}

}  // namespace
}  // namespace millrace::rank::testing
