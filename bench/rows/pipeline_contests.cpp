#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <fmt/format.h>

#include "base/result.h"
#include "bench/rows/contest.h"
#include "bench/rows/contests.h"
#include "bench/rows/dataset.h"
#include "bench/rows/loop_engine.h"
#include "bench/rows/millrace_engine.h"
#include "bench/rows/rival_process.h"
#include "rows/row_set.h"

namespace millrace::bench {

namespace {

// All contestants at one size.
struct Field {
  explicit Field(std::size_t row_count)
      : data(make_pipeline_data(row_count)), fused(data), parts(data), millrace(data) {}

  PipelineData data;
  FusedLoop fused;
  PartLoops parts;
  MillracePipeline millrace;
};

Answer ids_of(std::span<const Scored> best) {
  Answer answer;
  for (const Scored& row : best) answer.push_back(static_cast<double>(row.id));
  return answer;
}

Answer ids_of(const rows::RowSet& rows) {
  Answer answer;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    answer.push_back(static_cast<double>(rows.batch()->ids()[rows.row_at(i)]));
  }
  return answer;
}

// The answer of a filter: the number of rows and the sum of their ids.
Answer summary_of(const Answer& ids) {
  double sum = 0;
  for (const double id : ids) sum += id;
  return {static_cast<double>(ids.size()), sum};
}

// The answer of a score: the scores of the first rows.
Answer head_of(std::span<const double> scores) {
  return {scores.begin(),
          scores.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(scores.size(), 10))};
}

Contest pipeline_contest(Field& field) {
  return {.name = "pipeline",
          .rows = field.data.id.size(),
          .contestants = {make_local(
                              "millrace",
                              [&] { static_cast<void>(field.millrace.run()); },
                              [&] { return ids_of(field.millrace.run()); }),
                          make_local(
                              "loop",
                              [&] { static_cast<void>(field.fused.run_with_heap()); },
                              [&] { return ids_of(field.fused.run_with_heap()); }),
                          make_local(
                              "loop",
                              [&] { static_cast<void>(field.fused.run_with_buffer()); },
                              [&] { return ids_of(field.fused.run_with_buffer()); })}};
}

Contest score_contest(Field& field) {
  return {
      .name = "score",
      .rows = field.data.id.size(),
      .contestants = {make_local(
                          "millrace",
                          [&] { static_cast<void>(field.millrace.score()); },
                          [&] {
                            return head_of(
                                field.millrace.score().batch()->find_column("score")->float64s());
                          }),
                      make_local(
                          "loop",
                          [&] { static_cast<void>(field.parts.score()); },
                          [&] { return head_of(field.parts.score()); })}};
}

Contest filter_contest(Field& field) {
  return {.name = "filter",
          .rows = field.data.id.size(),
          .contestants = {make_local(
                              "millrace",
                              [&] { static_cast<void>(field.millrace.filter()); },
                              [&] { return summary_of(ids_of(field.millrace.filter())); }),
                          make_local(
                              "loop",
                              [&] { static_cast<void>(field.parts.filter()); },
                              [&] {
                                Answer ids;
                                for (const std::uint32_t row : field.parts.filter()) {
                                  ids.push_back(static_cast<double>(field.data.id[row]));
                                }
                                return summary_of(ids);
                              })}};
}

Contest top_contest(Field& field) {
  return {.name = "top",
          .rows = field.data.id.size(),
          .contestants = {make_local(
                              "millrace",
                              [&] { static_cast<void>(field.millrace.top()); },
                              [&] { return ids_of(field.millrace.top()); }),
                          make_local(
                              "loop",
                              [&] { static_cast<void>(field.parts.top()); },
                              [&] { return ids_of(field.parts.top()); })}};
}

}  // namespace

base::Status run_pipeline_contests(const ContestSetup& setup, const OnContest& on_contest) {
  for (const std::size_t row_count : setup.pipeline_rows) {
    const auto field = std::make_unique<Field>(row_count);
    if (setup.rivals != nullptr) {
      MR_TRY_STATUS(write_csv(
          field->data, fmt::format("{}/pipeline_{}.csv", setup.rivals->folder(), row_count)));
    }
    for (const auto make_contest : {pipeline_contest, score_contest, filter_contest, top_contest}) {
      Contest contest = make_contest(*field);
      add_rivals(contest, setup);
      MR_TRY_STATUS(on_contest(contest));
    }
  }
  return {};
}

}  // namespace millrace::bench
