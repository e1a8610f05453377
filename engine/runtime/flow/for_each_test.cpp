#include "runtime/flow/for_each.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/result.h"
#include "runtime/flow.h"
#include "runtime/worker_pool.h"

namespace millrace::runtime {
namespace {

using base::Status;
using testing::Each;
using testing::HasSubstr;

TEST(ForEachTest, PiecesCoverTheRangeOnceAndDifferByOneElementAtMost) {
  for (const std::size_t size : {0UL, 1UL, 7UL, 8UL, 9UL, 100UL, 1023UL}) {
    for (const std::uint32_t count : {1U, 2U, 8U, 64U}) {
      for (const std::uint32_t least : {0U, 1U, 5U, 1000U}) {
        std::size_t next = 0;
        for (std::uint32_t piece = 0; piece < count; ++piece) {
          const PieceBounds bounds = bounds_of_piece(size, piece, count, least);
          if (bounds.begin == bounds.end) continue;
          EXPECT_EQ(bounds.begin, next);
          // Smaller than asked for only if the whole range is.
          EXPECT_GE(bounds.end - bounds.begin, std::min<std::size_t>(least, size));
          next = bounds.end;
        }
        EXPECT_EQ(next, size) << size << " in " << count << " of at least " << least;
      }
    }
  }
}

TEST(ForEachTest, VisitsEveryElementOnce) {
  const auto pool = *WorkerPool::create({.compute_threads = 2});
  for (const std::size_t size : {0UL, 1UL, 5UL, 1000UL}) {
    std::vector<int> visits(size, 0);
    ASSERT_TRUE(for_each(*pool, visits, [](int& visit) { ++visit; }).has_value());
    EXPECT_THAT(visits, Each(1));
    ASSERT_TRUE(for_each(*pool, std::span(visits), [](int& visit) { ++visit; }).has_value());
    EXPECT_THAT(visits, Each(2));
  }
  const std::array<int, 3> constant{1, 2, 3};
  std::atomic<int> sum = 0;
  ASSERT_TRUE(for_each(*pool, constant, [&sum](const int& value) { sum += value; }).has_value());
  EXPECT_EQ(sum.load(), 6);
}

TEST(ForEachTest, TheFirstErrorEndsTheLoopAndIsItsResult) {
  const auto pool = *WorkerPool::create({.compute_threads = 1});
  std::vector<int> values(100);
  std::iota(values.begin(), values.end(), 0);
  int visited = 0;
  const Status status = for_each(*pool,
                                 values,
                                 [&visited](int value) -> Status {
                                   ++visited;
                                   if (value == 3)
                                     return base::fail(base::ErrorCode::kInvalidArgument, "Three");
                                   return {};
                                 },
                                 {.pieces = 1});
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().message(), "Three");
  EXPECT_EQ(visited, 4);
  const Status thrown = for_each(*pool, values, [](int) { throw std::runtime_error("no luck"); });
  EXPECT_THAT(thrown.error().message(), HasSubstr("no luck"));
}

TEST(ForEachTest, IsANodeOfAFlow) {
  struct Sums {
    std::vector<int> values;
    std::atomic<int> sum = 0;
    int total = 0;
  };
  FlowBuilder<Sums> builder;
  builder.cpu("load", [](Sums& sums) { sums.values.assign(100, 2); })
      .for_each("add",
                &Sums::values,
                [](Sums& sums, int& value) { sums.sum += value; },
                {.after = {"load"}, .pieces = 3})
      .cheap("total", [](Sums& sums) { sums.total = sums.sum; }, {.after = {"add"}});
  const auto flow = builder.build();
  ASSERT_TRUE(flow.has_value()) << flow.error().to_string();
  EXPECT_EQ(flow->topology().node_count(), 6U);
  const auto pool = *WorkerPool::create({.compute_threads = 2});
  for (int turn = 0; turn < 20; ++turn) {
    Sums sums;
    ASSERT_TRUE(flow->run(*pool, sums).has_value());
    EXPECT_EQ(sums.total, 200);
  }
}

TEST(ForEachTest, RefusesWhatCannotWork) {
  const auto pool = *WorkerPool::create({.compute_threads = 1});
  std::vector<int> values(3);
  const auto nothing = [](int&) {};
  EXPECT_THAT(for_each(*pool, values, nothing, {.pieces = 0}).error().message(),
              HasSubstr("pieces must be between 1 and 1024"));
  EXPECT_FALSE(for_each(*pool, values, nothing, {.pieces = kPiecesMax + 1}).has_value());
  EXPECT_THAT(for_each(*pool, values, nothing, {.after = {"x"}}).error().message(),
              HasSubstr("leave `after` empty"));
}

}  // namespace
}  // namespace millrace::runtime
