#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "bench/rows/contest.h"
#include "bench/rows/contests.h"
#include "bench/rows/dataset.h"
#include "bench/rows/loop_engine.h"
#include "bench/rows/millrace_engine.h"
#include "bench/rows/rival_process.h"
#include "rows/concat.h"
#include "rows/dedupe.h"
#include "rows/join.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"

namespace millrace::bench {

namespace {

constexpr std::size_t kRegexDistinct = 100;

// The answer of a set operator: the number of rows, and the sums of ids and of a float column.
Answer summary_of(const rows::RowSet& rows, std::string_view column) {
  const std::span<const double> values = rows.batch()->find_column(column)->float64s();
  double id_sum = 0;
  double value_sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    id_sum += static_cast<double>(rows.batch()->ids()[rows.row_at(i)]);
    value_sum += values[rows.row_at(i)];
  }
  // Rounded, because engines add floats in different orders.
  return {static_cast<double>(rows.size()), id_sum, std::round(value_sum * 1e6)};
}

base::Status write_data(const ContestSetup& setup,
                        const TaggedData& data,
                        std::string_view name,
                        std::size_t row_count) {
  if (setup.rivals == nullptr) return {};
  return write_csv(data, fmt::format("{}/{}_{}.csv", setup.rivals->folder(), name, row_count));
}

base::Status run_concat(const ContestSetup& setup, const OnContest& on_contest) {
  const auto row_count = static_cast<std::int64_t>(setup.set_rows);
  const TaggedData left = make_tagged_data({.row_count = setup.set_rows, .distinct = 100});
  const TaggedData right = make_tagged_data(
      {.row_count = setup.set_rows, .distinct = 100, .first_id = row_count + 1, .first_tag = 50});
  MR_TRY_STATUS(write_data(setup, left, "concat_left", setup.set_rows));
  MR_TRY_STATUS(write_data(setup, right, "concat_right", setup.set_rows));
  rows::RowScratch scratch;
  const std::vector<rows::RowSet> inputs = {to_row_set(left, scratch), to_row_set(right, scratch)};
  const auto run = [&] { return rows::concat(inputs, {}, scratch).value(); };
  Contest contest{.name = "concat",
                  .rows = 2 * setup.set_rows,
                  .contestants = {make_local(
                      "millrace",
                      [&] { static_cast<void>(run()); },
                      [&] { return summary_of(run(), "weight"); })}};
  add_rivals(contest, setup, setup.set_rows);
  return on_contest(contest);
}

base::Status run_dedupe(const ContestSetup& setup, const OnContest& on_contest) {
  const TaggedData data =
      make_tagged_data({.row_count = setup.set_rows, .distinct = setup.set_rows / 2});
  MR_TRY_STATUS(write_data(setup, data, "dedupe", setup.set_rows));
  rows::RowScratch scratch;
  const rows::RowSet input = to_row_set(data, scratch);
  const std::vector<std::string> keys = {"author"};
  const auto run = [&] { return rows::dedupe(input, {.keys = keys}, scratch).value(); };
  IntTable table(setup.set_rows);
  std::vector<std::uint32_t> kept(setup.set_rows);
  const auto run_loop = [&] {
    table.clear();
    std::size_t count = 0;
    for (std::size_t row = 0; row < data.author.size(); ++row) {
      kept[count] = static_cast<std::uint32_t>(row);
      count += table.insert(data.author[row]).is_new ? 1 : 0;
    }
    return std::span(kept).first(count);
  };
  const auto answer_loop = [&] {
    Answer answer = {0, 0, 0};
    for (const std::uint32_t row : run_loop()) {
      answer[0] += 1;
      answer[1] += static_cast<double>(data.id[row]);
      answer[2] += data.weight[row];
    }
    answer[2] = std::round(answer[2] * 1e6);
    return answer;
  };
  Contest contest{
      .name = "dedupe",
      .rows = setup.set_rows,
      .contestants = {make_local(
                          "millrace",
                          [&] { static_cast<void>(run()); },
                          [&] { return summary_of(run(), "weight"); }),
                      make_local("loop", [&] { static_cast<void>(run_loop()); }, answer_loop)}};
  add_rivals(contest, setup, setup.set_rows);
  return on_contest(contest);
}

base::Status run_join(const ContestSetup& setup, const OnContest& on_contest) {
  const TaggedData left =
      make_tagged_data({.row_count = setup.set_rows, .distinct = setup.set_rows});
  const TaggedData right = make_author_data(setup.set_rows / 2);
  MR_TRY_STATUS(write_data(setup, left, "join_left", setup.set_rows));
  MR_TRY_STATUS(write_data(setup, right, "join_right", setup.set_rows));
  rows::RowScratch scratch;
  const rows::RowSet left_rows = to_row_set(left, scratch);
  const rows::RowSet right_rows = to_row_set(right, scratch);
  const std::vector<rows::JoinKey> keys = {{"author", "author"}};
  std::vector<rows::JoinColumn> taken;
  for (const rows::NamedColumn& column : right_rows.batch()->columns()) {
    if (column.name != "author") taken.push_back({column.name, "author_" + column.name});
  }
  const rows::JoinOptions options{.keys = keys, .right_columns = taken};
  const auto run = [&] { return rows::join(left_rows, right_rows, options, scratch).value(); };
  Contest contest{.name = "join",
                  .rows = setup.set_rows,
                  .contestants = {make_local(
                      "millrace",
                      [&] { static_cast<void>(run()); },
                      [&] { return summary_of(run(), "author_weight"); })}};
  add_rivals(contest, setup, setup.set_rows);
  return on_contest(contest);
}

base::Status run_regex(const ContestSetup& setup,
                       const OnContest& on_contest,
                       std::size_t row_count,
                       std::size_t distinct) {
  const std::string name =
      distinct == kRegexDistinct ? "regex" : fmt::format("regex_{}_distinct", distinct);
  const TaggedData data = make_tagged_data({.row_count = row_count, .distinct = distinct});
  MR_TRY_STATUS(write_data(setup, data, name, row_count));
  MillraceFilter filter(fmt::format("tag ~ /{}/", kTagPattern), data);
  Contest contest{.name = name,
                  .rows = row_count,
                  .contestants = {make_local(
                      "millrace",
                      [&] { static_cast<void>(filter.run()); },
                      [&] { return summary_of(filter.run(), "weight"); })}};
  add_rivals(contest, setup, row_count);
  return on_contest(contest);
}

// Two curves, which show that the cost grows with the number of distinct values and hardly with the
// rows.
base::Status run_regexes(const ContestSetup& setup, const OnContest& on_contest) {
  for (const std::size_t distinct : setup.distinct_counts) {
    MR_TRY_STATUS(run_regex(setup, on_contest, setup.set_rows, distinct));
  }
  for (const std::size_t row_count : setup.regex_rows) {
    MR_TRY_STATUS(run_regex(setup, on_contest, row_count, kRegexDistinct));
  }
  return {};
}

}  // namespace

void add_rivals(Contest& contest, const ContestSetup& setup, std::size_t file_rows) {
  if (setup.rivals == nullptr) return;
  const std::size_t rows = file_rows == 0 ? contest.rows : file_rows;
  for (const std::string engine : {"duckdb", "polars"}) {
    contest.contestants.push_back(setup.rivals->contestant(engine, contest.name, rows));
  }
}

base::Status run_set_contests(const ContestSetup& setup, const OnContest& on_contest) {
  MR_TRY_STATUS(run_concat(setup, on_contest));
  MR_TRY_STATUS(run_dedupe(setup, on_contest));
  MR_TRY_STATUS(run_join(setup, on_contest));
  return run_regexes(setup, on_contest);
}

}  // namespace millrace::bench
