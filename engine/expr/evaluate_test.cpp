#include "expr/evaluate.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/evaluate_fixture.h"
#include "rows/rows_fixture.h"
#include "rows/select.h"
#include "rows/stop_fixture.h"

namespace millrace::expr {
namespace {

using rows::ColumnType;
using rows::testing::Cell;
using rows::testing::kNull;
using rows::testing::Table;
using testing::Answer;
using testing::Bench;
using testing::check_all;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::one_row;

TEST(EvaluateTest, ValuesOfTheRequestTakeEffect) {
  Bench bench = one_row();
  bench.with(NameSource::kParam, "weight", ColumnType::kFloat64, 1.5)
      .with(NameSource::kParam, "count", ColumnType::kInt64, 2)
      .with(NameSource::kParam, "absent", ColumnType::kFloat64, kNull)
      .with(NameSource::kParam, "whole", ColumnType::kFloat64, 3)
      .with(NameSource::kRequest, "word", ColumnType::kString, "Word")
      .with(NameSource::kViewer, "adult", ColumnType::kBool, true);
  check_all(bench,
            {{"five * $weight", 7.5},
             {"five * coalesce($absent, 0.5)", 2.5},
             {"five * $absent", kNull},
             {"$weight * $count", 3.0},
             {"$whole / 2", 1.5},
             {"word == $req.word", true},
             {"lower($req.word)", "word"},
             {"lower($req.word) == lower(word)", true},
             {"if(viewer.adult, word, s)", "Word"},
             {"if(viewer.adult and five > 3, five, $count)", 5},
             {"if(five > 9, word, $req.word)", "Word"},
             {"coalesce(s, $req.word)", "Word"},
             {"yes and viewer.adult", true},
             {"five in [$count, 5]", true},
             {"$req.word ~ /^W/", true},
             {"hash($req.word) == hash(word)", true},
             {"length($req.word) + five", 9},
             {"$absent is null", true}});
}

TEST(EvaluateTest, RefusesRowsThatLackAKey) {
  Bench bench = one_row();
  MapScope other;
  other.add(NameSource::kKey, "fife", ColumnType::kInt64);
  other.add(NameSource::kKey, "half", ColumnType::kInt64);
  const auto problem = [&](std::string_view text) {
    const BoundExpr bound = BoundExpr::bind(compile(text, other).value(), {}).value();
    const base::Result<Evaluated> result = evaluate(bound, bench.rows(), bench.scratch());
    return result ? std::string() : result.error().to_string();
  };
  EXPECT_THAT(problem("fife"), HasSubstr("five"));
  EXPECT_THAT(problem("half"), HasSubstr("another type than its key: float instead of int"));
}

// Four columns over many rows, some null, for selections and chunk borders.
Table many_rows(std::size_t count) {
  Table table{
      .names = {"id", "n", "x", "s"},
      .types = {ColumnType::kInt64, ColumnType::kInt64, ColumnType::kFloat64, ColumnType::kString},
      .rows = {}};
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::int64_t>(i);
    table.rows.push_back({number,
                          i % 7 == 0 ? kNull : Cell(number * 2),
                          static_cast<double>(i) / 4,
                          "v" + std::to_string(i % 10)});
  }
  return table;
}

TEST(EvaluateTest, CrossesChunkBorders) {
  for (const std::size_t count :
       {0UL, 1UL, kChunkRows - 1, kChunkRows, kChunkRows + 1, 3 * kChunkRows}) {
    Bench bench(many_rows(count));
    const Answer answer = bench.run("n * 2 + 1");
    ASSERT_EQ(answer.cells.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(answer.cells[i], i % 7 == 0 ? kNull : Cell(static_cast<std::int64_t>(4 * i + 1)))
          << i;
    }
    EXPECT_EQ(bench.kept("x >= 100.0").size(), count > 400 ? count - 400 : 0);
    EXPECT_EQ(bench.kept("n >= 0").size(), count - (count + 6) / 7);
  }
}

TEST(EvaluateTest, NullsThatBeginLateKeepEarlierRowsValid) {
  Table table = many_rows(2 * kChunkRows);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    table.rows[i][1] = i + 1 == table.rows.size() ? kNull : Cell(static_cast<std::int64_t>(i));
  }
  Bench bench(std::move(table));
  const std::vector<Cell> cells = bench.cells("n + 1");
  EXPECT_EQ(cells.front(), Cell(1));
  EXPECT_EQ(cells[kChunkRows], Cell(static_cast<std::int64_t>(kChunkRows) + 1));
  EXPECT_EQ(cells.back(), kNull);
}

TEST(EvaluateTest, WritesOnlySelectedRows) {
  Bench bench(many_rows(2000));
  const rows::RowSet odd =
      evaluate_predicate(*bench.bind("id % 2 == 1"), bench.rows(), bench.scratch())->rows;
  EXPECT_EQ(odd.size(), 1000U);
  EXPECT_FALSE(odd.is_dense());
  bench.with_rows(odd);
  for (const std::string_view text :
       {"id * 10", "x * 2.0", "id > 5", "lower(s)", "s", "n", "7", "'c'"}) {
    const Answer answer = bench.run(text);
    ASSERT_EQ(answer.cells.size(), 1000U) << text;
  }
  EXPECT_EQ(bench.cells("id * 10")[3], Cell(70));
  EXPECT_EQ(bench.cells("s")[1], Cell("v3"));
  EXPECT_EQ(bench.cells("if(id > 5, s, 'low')")[0], Cell("low"));
  EXPECT_EQ(bench.kept("x < 1.0"), (std::vector<std::int64_t>{1, 3}));
  bench.with_rows(odd.window(10, 5));
  EXPECT_THAT(bench.cells("id"), ElementsAre(21, 23, 25, 27, 29));
}

TEST(EvaluateTest, ReadsWindowsOfABatch) {
  Bench bench(many_rows(2000));
  bench.with_rows(bench.rows().window(700, 600));
  const std::vector<Cell> cells = bench.cells("id + 1");
  ASSERT_EQ(cells.size(), 600U);
  EXPECT_EQ(cells.front(), Cell(701));
  EXPECT_EQ(cells.back(), Cell(1300));
  EXPECT_THAT(bench.kept("id < 702"), ElementsAre(700, 701));
}

TEST(EvaluateTest, PredicateThatKeepsAllGivesTheSameSet) {
  Bench bench(many_rows(100));
  const base::Result<Filtered> all =
      evaluate_predicate(*bench.bind("x >= 0.0"), bench.rows(), bench.scratch());
  EXPECT_TRUE(all->rows.is_dense());
  EXPECT_EQ(all->rows.size(), 100U);
}

TEST(EvaluateTest, C2_StopsBetweenChunks) {
  Table table{.names = {"id"}, .types = {ColumnType::kInt64}, .rows = {}};
  for (std::size_t i = 0; i < 3 * kChunkRows; ++i) {
    table.rows.push_back({static_cast<std::int64_t>(i)});
  }
  Bench bench(std::move(table));
  const BoundExpr number = bench.bind("id * 2").value();
  const BoundExpr predicate = bench.bind("id > 7", {.result = ColumnType::kBool}).value();
  for (std::size_t look = 0; look < 3; ++look) {
    rows::testing::StopAtLook stop(look);
    bench.scratch().rows().set_stop(stop.check());
    const base::Result<Evaluated> evaluated = evaluate(number, bench.rows(), bench.scratch());
    EXPECT_EQ(evaluated.error().code(), base::ErrorCode::kCancelled);
    EXPECT_EQ(stop.look_count(), look + 1);
    rows::testing::StopAtLook again(look);
    bench.scratch().rows().set_stop(again.check());
    const base::Result<Filtered> kept =
        evaluate_predicate(predicate, bench.rows(), bench.scratch());
    EXPECT_EQ(kept.error().code(), base::ErrorCode::kCancelled);
    EXPECT_EQ(again.look_count(), look + 1);
  }
  // A stop leaves nothing behind in the scratch.
  bench.scratch().rows().set_stop({});
  EXPECT_EQ(bench.kept("id > 7").size(), 3 * kChunkRows - 8);
}

Table long_texts(std::size_t count, std::size_t bytes) {
  Table table{
      .names = {"id", "name"}, .types = {ColumnType::kInt64, ColumnType::kString}, .rows = {}};
  for (std::size_t i = 0; i < count; ++i) {
    table.rows.push_back(
        {static_cast<std::int64_t>(i), std::string(bytes, static_cast<char>('a' + i))});
  }
  return table;
}

TEST(EvaluateTest, LIM4_StopsBetweenLongTexts) {
  Bench bench(long_texts(10, 50'000));
  for (const char* const text : {"name ~ /.{20}b/", "contains(name, \"zz\")", "length(name) > 3"}) {
    const BoundExpr predicate = bench.bind(text, {.result = ColumnType::kBool}).value();
    rows::testing::StopAtLook stop(4);
    bench.scratch().rows().set_stop(stop.check());
    const base::Result<Filtered> kept =
        evaluate_predicate(predicate, bench.rows(), bench.scratch());
    ASSERT_FALSE(kept) << text;
    EXPECT_EQ(kept.error().code(), base::ErrorCode::kCancelled);
  }
  const BoundExpr value = bench.bind("lower(name)").value();
  rows::testing::StopAtLook stop(4);
  bench.scratch().rows().set_stop(stop.check());
  EXPECT_FALSE(evaluate(value, bench.rows(), bench.scratch()));
  bench.scratch().rows().set_stop({});
}

TEST(EvaluateTest, LIM4_ATextThatIsTooLongForItsRegexIsARowError) {
  Table table = long_texts(2, 100);
  table.rows.push_back({std::int64_t{9}, std::string(200'000, 'x')});
  Bench bench(std::move(table));
  const BoundExpr predicate =
      bench.bind("not (name ~ /.{800}b/)", {.result = ColumnType::kBool}).value();
  const base::Result<Filtered> kept = evaluate_predicate(predicate, bench.rows(), bench.scratch());
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->rows.size(), 2U);
  EXPECT_EQ(kept->errors.count, 1U);
  ASSERT_TRUE(kept->errors.first);
  EXPECT_EQ(kept->errors.first->id, 9);
  EXPECT_EQ(kept->errors.first->message, "A text is too long for its regex");
}

TEST(EvaluateTest, LIM4_LooksAtTheStopWithinOneLongText) {
  Bench bench(long_texts(1, 400'000));
  bench.with(NameSource::kRequest, "part", ColumnType::kString, std::string("zz"));
  bench.with(NameSource::kRequest, "text", ColumnType::kString, std::string(400'000, 'q'));
  for (const char* const text : {"contains(name, $req.part)", "contains($req.text, name)"}) {
    const BoundExpr predicate = bench.bind(text, {.result = ColumnType::kBool}).value();
    rows::testing::StopAtLook never;
    bench.scratch().rows().set_stop(never.check());
    ASSERT_TRUE(evaluate_predicate(predicate, bench.rows(), bench.scratch())) << text;
    rows::testing::StopAtLook stop(2);
    bench.scratch().rows().set_stop(stop.check());
    const base::Result<Filtered> kept =
        evaluate_predicate(predicate, bench.rows(), bench.scratch());
    ASSERT_FALSE(kept) << text;
    EXPECT_EQ(kept.error().code(), base::ErrorCode::kCancelled);
  }
  bench.scratch().rows().set_stop({});
}

TEST(EvaluateTest, LIM4_ATextOfTheRequestIsSearchedForManyNamesUntilTheStop) {
  // Names are short, but the text in which each is searched is long.
  Table table{
      .names = {"id", "name"}, .types = {ColumnType::kInt64, ColumnType::kString}, .rows = {}};
  for (std::int64_t i = 0; i < 1000; ++i) table.rows.push_back({i, "n" + std::to_string(i)});
  Bench bench(std::move(table));
  bench.with(NameSource::kRequest, "text", ColumnType::kString, std::string(200'000, 'q'));
  const BoundExpr predicate =
      bench.bind("contains($req.text, name)", {.result = ColumnType::kBool}).value();
  rows::testing::StopAtLook stop(5);
  bench.scratch().rows().set_stop(stop.check());
  EXPECT_FALSE(evaluate_predicate(predicate, bench.rows(), bench.scratch()));
  EXPECT_LE(stop.look_count(), 10U) << "it went on after the stop";
  bench.scratch().rows().set_stop({});
}

TEST(EvaluateTest, LIM4_ContainsTakesTimeInTheSumOfTheSizes) {
  // A search that begins anew at every byte would compare 10^10 bytes here.
  const std::string part = std::string(100'000, 'a') + "b";
  Bench bench({.names = {"id", "name"},
               .types = {ColumnType::kInt64, ColumnType::kString},
               .rows = {{1, std::string(200'000, 'a')},
                        {2, std::string(150'000, 'a') + "b" + std::string(40'000, 'a')},
                        {3, part},
                        {4, std::string("x") + part.substr(1)}}});
  bench.with(NameSource::kRequest, "part", ColumnType::kString, part);
  EXPECT_THAT(bench.cells("contains(name, $req.part)"), ElementsAre(false, true, true, false));
}

TEST(EvaluateTest, ContainsFindsPartsAcrossWindows) {
  // The part begins at each place around the end of the first window of the search.
  for (std::size_t at = (16UL << 10) - 4; at < (16UL << 10) + 4; ++at) {
    Bench bench({.names = {"id", "name"},
                 .types = {ColumnType::kInt64, ColumnType::kString},
                 .rows = {{1, std::string(at, 'x') + "abc"}, {2, std::string(at, 'x') + "ab"}}});
    EXPECT_THAT(bench.cells("contains(name, 'abc')"), ElementsAre(true, false)) << at;
    EXPECT_THAT(bench.cells("contains(name, 'x')"), ElementsAre(true, true)) << at;
  }
}

TEST(EvaluateTest, PutsTheColumnIntoTheBatch) {
  Bench bench(many_rows(3));
  const base::Result<WithKey> result =
      evaluate_to_key(*bench.bind("x * 2.0"), bench.rows(), "score", bench.scratch());
  ASSERT_TRUE(result);
  EXPECT_EQ(rows::testing::to_table(result->rows).column("score"),
            (std::vector<Cell>{0.0, 0.5, 1.0}));
  EXPECT_EQ(result->rows.batch()->find_column("x"), bench.rows().batch()->find_column("x"));
  const base::Result<WithKey> refused =
      evaluate_to_key(*bench.bind("id"), bench.rows(), "id", bench.scratch());
  EXPECT_FALSE(refused);
}

TEST(EvaluateTest, StringResultsShareOrMakeADictionary) {
  Bench bench(many_rows(1000));
  const base::Result<Evaluated> same = evaluate(*bench.bind("s"), bench.rows(), bench.scratch());
  EXPECT_EQ(same->column->dictionary(), bench.rows().batch()->find_column("s")->dictionary());
  const base::Result<Evaluated> made =
      evaluate(*bench.bind("if(id % 2 == 0, s, 'odd')"), bench.rows(), bench.scratch());
  EXPECT_EQ(made->column->dictionary()->size(), 11);
}

TEST(EvaluateTest, AnIntResultServesAsFloat) {
  Bench bench = one_row();
  const BoundExpr bound = bench.bind("five + 1", {.result = ColumnType::kFloat64}).value();
  const base::Result<Evaluated> result = evaluate(bound, bench.rows(), bench.scratch());
  EXPECT_EQ(rows::testing::to_cell(result->column->value_at(0)), Cell(6.0));
}

}  // namespace
}  // namespace millrace::expr
