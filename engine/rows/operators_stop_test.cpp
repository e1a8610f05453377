// Every operator checks the stop of its scratch between parts of its work, and fails with the error
// of that stop as soon as it is requested.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/result.h"
#include "rows/concat.h"
#include "rows/dedupe.h"
#include "rows/diversify.h"
#include "rows/groups/aggregate.h"
#include "rows/interleave.h"
#include "rows/join.h"
#include "rows/mmr.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/sample.h"
#include "rows/select.h"
#include "rows/sort.h"
#include "rows/stop_fixture.h"
#include "rows/table_fixture.h"
#include "rows/top_k.h"

namespace millrace::rows {
namespace {

using testing::StopAtLook;
using testing::Table;
using testing::to_rows;

constexpr std::size_t kRowCount = 4 * kStopCheckRows;

// Ids in no order, a group column with few values, a score, and strings from a different dictionary
// per call.
RowSet some_rows(const std::string& word, RowScratch& scratch) {
  Table table{
      .names = {"id", "group", "score", "word"},
      .types = {ColumnType::kInt64, ColumnType::kInt64, ColumnType::kFloat64, ColumnType::kString},
      .rows = {}};
  for (std::size_t i = 0; i < kRowCount; ++i) {
    const auto mixed = static_cast<std::int64_t>(i * 2'654'435'761U % kRowCount);
    table.rows.push_back({mixed,
                          mixed % 7,
                          i % 5 == 0 ? testing::kNull : mixed * 0.37,
                          word + std::to_string(mixed % 11)});
  }
  return to_rows(table, scratch);
}

struct Operator {
  std::string name;
  std::function<base::Result<RowSet>(RowScratch&)> run;
};

const std::vector<SortKey> kByScore = {{.column = "score"}};
const std::vector<SortKey> kByGroup = {{.column = "group"}, {.column = "word"}};
const std::vector<WindowRule> kApart = {{.column = "group", .count_max = 1, .window = 3}};
const std::vector<std::string> kGroups = {"group", "word"};
const std::vector<std::string> kNumbers = {"group"};
const std::vector<AggregateColumn> kSums = {{Aggregation::kSum, "group", "a"},
                                            {Aggregation::kMean, "score", "b"},
                                            {Aggregation::kMax, "score", "c"},
                                            {Aggregation::kCount, "word", "d"}};
const std::vector<std::uint8_t> kAll(kRowCount, 1);
const std::vector<std::string> kTags = {"left", "right"};
const std::vector<double> kWeights = {1.0, 2.0};

std::vector<Operator> orders(const RowSet& a) {
  return {
      {"sort", [&](RowScratch& s) { return sort(a, kByScore, s); }},
      {"sort, ties", [&](RowScratch& s) { return sort(a, kByGroup, s); }},
      {"top_k", [&](RowScratch& s) { return top_k(a, kByScore, 50, s); }},
      {"top_k, many", [&](RowScratch& s) { return top_k(a, kByScore, kRowCount / 5, s); }},
      {"diversify", [&](RowScratch& s) { return diversify(a, {.rules = kApart}, s); }},
      {"mmr, keys",
       [&](RowScratch& s) {
         return diversify_mmr(a, {.score = "score", .count = 3, .same_keys = kNumbers}, s);
       }},
      {"mmr, features",
       [&](RowScratch& s) {
         return diversify_mmr(a, {.score = "score", .count = 3, .features = kNumbers}, s);
       }},
  };
}

std::vector<Operator> selections(const RowSet& a, const RowSet& b) {
  static const std::vector<JoinKey> words = {{.left = "word", .right = "word"}};
  return {
      {"filter", [&](RowScratch& s) { return filter(a, kAll, s); }},
      {"dedupe, first", [&](RowScratch& s) { return dedupe(a, {.keys = kGroups}, s); }},
      {"dedupe, last",
       [&](RowScratch& s) { return dedupe(a, {.keys = kGroups, .keep = Keep::kLast}, s); }},
      {"dedupe, score",
       [&](RowScratch& s) {
         return dedupe(a, {.keys = kGroups, .keep = Keep::kMaxScore, .score = "score"}, s);
       }},
      {"group_limit", [&](RowScratch& s) { return group_limit(a, kGroups, 2, s); }},
      {"aggregate",
       [&](RowScratch& s) -> base::Result<RowSet> {
         MR_TRY(Aggregated made, aggregate(a, kNumbers, kSums, s));
         return std::move(made.rows);
       }},
      {"sample, count", [&](RowScratch& s) { return sample_count(a, 1'000, 7, s); }},
      {"sample, rate", [&](RowScratch& s) { return sample_rate(a, 0.5, 7, s); }},
      {"join, semi",
       [&](RowScratch& s) { return join(a, b, {.kind = JoinKind::kSemi, .keys = words}, s); }},
  };
}

std::vector<Operator> unions(const RowSet& a, const RowSet& b) {
  const std::vector<RowSet> both = {a, b};
  const std::vector<RowSet> twice = {a, a};
  const auto join_with = [&a, &b](JoinKind kind, const std::string& key) {
    return [&a, &b, kind, key](RowScratch& s) {
      const std::vector<JoinKey> keys = {{.left = key, .right = key}};
      const RowSet few = b.window(0, 300);
      const std::vector<JoinColumn> taken = {{.name = "id", .new_name = "r_id"}};
      return join(a, few, {.kind = kind, .keys = keys, .right_columns = taken}, s);
    };
  };
  return {
      {"concat", [=](RowScratch& s) { return concat(both, kTags, s); }},
      {"concat, one batch", [=](RowScratch& s) { return concat(twice, {}, s); }},
      {"interleave", [=](RowScratch& s) { return interleave_pattern(both, "ab", s); }},
      {"interleave, weights",
       [=](RowScratch& s) { return interleave_weighted(both, kWeights, s); }},
      {"join, one match", join_with(JoinKind::kLeft, "id")},
      {"join, many matches", join_with(JoinKind::kInner, "group")},
  };
}

void check_operator(const Operator& tried, RowScratch& scratch) {
  SCOPED_TRACE(tried.name);
  StopAtLook never;
  scratch.set_stop(never.check());
  EXPECT_TRUE(tried.run(scratch).has_value());
  const std::size_t looks = never.look_count();
  EXPECT_GE(looks, kRowCount / kStopCheckRows);
  for (std::size_t look = 0; look < looks; look += 1 + looks / 13) {
    StopAtLook stop(look);
    scratch.set_stop(stop.check());
    const base::Result<RowSet> stopped = tried.run(scratch);
    ASSERT_FALSE(stopped.has_value()) << "at look " << look;
    EXPECT_EQ(stopped.error().code(), base::ErrorCode::kCancelled);
    EXPECT_EQ(stopped.error().where(), "here");
    EXPECT_EQ(stop.look_count(), look + 1) << "the operator went on after it was told to stop";
  }
  scratch.set_stop({});
}

TEST(OperatorsStopTest, C2_EveryOperatorLooksBetweenPartsAndStopsAtOnce) {
  RowScratch scratch;
  const RowSet a = some_rows("a", scratch);
  const RowSet b = some_rows("b", scratch);
  for (const Operator& tried : orders(a)) check_operator(tried, scratch);
  for (const Operator& tried : selections(a, b)) check_operator(tried, scratch);
  for (const Operator& tried : unions(a, b)) check_operator(tried, scratch);
}

TEST(OperatorsStopTest, AScratchThatIsNotToldStopsNobody) {
  RowScratch scratch;
  StopAtLook stop(0);
  scratch.set_stop(stop.check());
  EXPECT_TRUE(scratch.stop().stop_requested());
  scratch.set_stop({});
  EXPECT_FALSE(scratch.stop().stop_requested());
}

}  // namespace
}  // namespace millrace::rows
