#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace millrace::bench {

/// The pipeline `score = a*w1 + b*w2 - age*w3; keep score >= threshold; top by score`.
struct PipelineConstants {
  static constexpr double kWeightA = 0.7;
  static constexpr double kWeightB = 0.2;
  static constexpr double kWeightAge = 0.1;
  static constexpr double kThreshold = 0.4;  // about half the rows pass
  static constexpr std::size_t kTopCount = 50;
};

/// Rows for the pipeline and its parts; `score` is what the first part computes.
struct PipelineData {
  std::vector<std::int64_t> id;
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> age;
  std::vector<double> score;
};
[[nodiscard]] PipelineData make_pipeline_data(std::size_t row_count);

/// Rows for the set operators: an author among `distinct` and a tag among `distinct`.
struct TaggedData {
  std::vector<std::int64_t> id;
  std::vector<std::int64_t> author;
  std::vector<double> weight;
  std::vector<std::string> tag;
};
/// Ids start at `first_id`; tags at number `first_tag`.
struct TaggedShape {
  std::size_t row_count = 0;
  std::size_t distinct = 1;
  std::int64_t first_id = 1;
  std::size_t first_tag = 0;
};
[[nodiscard]] TaggedData make_tagged_data(const TaggedShape& shape);
/// One row for each author in [0, count).
[[nodiscard]] TaggedData make_author_data(std::size_t count);

/// The pattern that tags are matched with; about a third of them match.
inline constexpr std::string_view kTagPattern = "(news|sport)-[0-9]*[02468]$";

/// Write the data as CSV with a header, numbers in the shortest form that reads back exactly.
[[nodiscard]] base::Status write_csv(const PipelineData& data, const std::string& path);
[[nodiscard]] base::Status write_csv(const TaggedData& data, const std::string& path);

}  // namespace millrace::bench
