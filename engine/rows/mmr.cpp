#include "rows/mmr.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "rows/column.h"
#include "rows/key_groups.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"

namespace millrace::rows {

using base::ErrorCode;
using base::fail;
using base::Result;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// One number per row of the set; NaN for null.
Array<double> load_numbers(const Column& column, const RowSet& rows, RowScratch& scratch) {
  Array<double> out = scratch.make_array<double>(rows.size());
  const auto load = [&](auto values) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const RowIndex row = rows.row_at(i);
      out[i] = column.is_null(row) ? kNan : static_cast<double>(values[row]);
    }
  };
  switch (column.type()) {
    case ColumnType::kInt64:
      load(column.int64s());
      break;
    case ColumnType::kFloat64:
      load(column.float64s());
      break;
    case ColumnType::kBool:
      load(column.bools());
      break;
    case ColumnType::kString:
      load(column.codes());
      break;
  }
  return out;
}

Result<const Column*> find_number_column(const RowSet& rows,
                                         const std::string& name,
                                         const std::string& where) {
  MR_TRY(const Column* column, rows.batch()->get_column(name, where));
  if (column->type() != ColumnType::kString) return column;
  return fail(ErrorCode::kInvalidArgument, "Column must hold numbers, not strings: " + name, where);
}

// Scales scores in place to relevance in [0, 1].
void scale_to_relevance(std::span<double> scores) {
  double least = kInfinity;
  double greatest = -kInfinity;
  for (const double score : scores) {
    if (!std::isfinite(score)) continue;
    least = std::min(least, score);
    greatest = std::max(greatest, score);
  }
  // Halves, because the difference of two finite numbers may be infinite.
  const double range = greatest / 2 - least / 2;
  for (double& score : scores) {
    if (std::isnan(score)) {
      score = 0;
    } else if (std::isinf(score)) {
      score = score > 0 ? 1 : 0;
    } else {
      score = range > 0 ? (score / 2 - least / 2) / range : 1;
    }
  }
}

// Unit vectors, row after row. Scaled by the largest component first, so that squares stay finite.
class Features {
 public:
  static Result<Features> load(const RowSet& rows,
                               std::span<const std::string> names,
                               RowScratch& scratch) {
    Features features(scratch.make_array<double>(rows.size() * names.size()), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string where = "mmr.features[" + std::to_string(i) + "]";
      MR_TRY(const Column* column, find_number_column(rows, names[i], where));
      const Array<double> numbers = load_numbers(*column, rows, scratch);
      for (std::size_t row = 0; row < rows.size(); ++row) {
        features.vector(row)[i] = std::isfinite(numbers[row]) ? numbers[row] : 0;
      }
    }
    for (std::size_t row = 0; row < rows.size(); ++row) normalise(features.vector(row));
    return features;
  }

  [[nodiscard]] double cosine(std::size_t left, std::size_t right) const {
    double sum = 0;
    for (std::size_t i = 0; i < width_; ++i) {
      sum += values_[left * width_ + i] * values_[right * width_ + i];
    }
    return sum;
  }

 private:
  Features(Array<double> values, std::size_t width) : values_(std::move(values)), width_(width) {}

  [[nodiscard]] std::span<double> vector(std::size_t row) {
    return values_.span().subspan(row * width_, width_);
  }
  static void normalise(std::span<double> vector) {
    double largest = 0;
    for (const double value : vector) largest = std::max(largest, std::abs(value));
    if (largest == 0) return;
    double squares = 0;
    for (double& value : vector) {
      value /= largest;
      squares += value * value;
    }
    const double length = std::sqrt(squares);
    for (double& value : vector) value /= length;
  }

  Array<double> values_;
  std::size_t width_;
};

// Chooses positions greedily; `similarity(chosen, position)` compares two rows.
template <class Similarity>
void choose(std::span<double> relevance,
            double lambda,
            std::span<std::uint32_t> chosen,
            std::span<double> nearest,
            Similarity similarity) {
  for (std::size_t step = 0; step < chosen.size(); ++step) {
    std::size_t best = 0;
    double best_value = -kInfinity;
    for (std::size_t i = 0; i < relevance.size(); ++i) {
      // Chosen rows have a relevance of -inf and never win again.
      const double value = lambda * relevance[i] - (1 - lambda) * nearest[i];
      if (value > best_value) {
        best = i;
        best_value = value;
      }
    }
    chosen[step] = static_cast<std::uint32_t>(best);
    relevance[best] = -kInfinity;
    for (std::size_t i = 0; i < nearest.size(); ++i) {
      const double near = similarity(best, i);
      nearest[i] = step == 0 ? near : std::max(nearest[i], near);
    }
  }
}

base::Status check_options(const MmrOptions& options) {
  if (options.count < 0) {
    return fail(ErrorCode::kInvalidArgument,
                "Count must not be negative: " + std::to_string(options.count),
                "mmr.count");
  }
  if (!(options.lambda >= 0 && options.lambda <= 1)) {
    return fail(ErrorCode::kInvalidArgument,
                "Lambda must be between 0 and 1: " + std::to_string(options.lambda),
                "mmr.lambda");
  }
  if (options.same_keys.empty() == options.features.empty()) {
    return fail(ErrorCode::kInvalidArgument, "Give either same_keys or features", "mmr");
  }
  return {};
}

}  // namespace

Result<RowSet> diversify_mmr(const RowSet& rows, const MmrOptions& options, RowScratch& scratch) {
  MR_TRY_STATUS(check_options(options));
  MR_TRY(const Column* score, find_number_column(rows, options.score, "mmr.score"));
  Array<double> relevance = load_numbers(*score, rows, scratch);
  scale_to_relevance(relevance.span());
  Array<double> nearest = scratch.make_array<double>(rows.size());
  std::fill_n(nearest.data(), nearest.size(), 0.0);
  const std::size_t count = std::min(static_cast<std::size_t>(options.count), rows.size());
  Array<std::uint32_t> chosen = scratch.make_array<std::uint32_t>(count);
  const auto choose_by = [&](auto similarity) {
    choose(relevance.span(), options.lambda, chosen.span(), nearest.span(), similarity);
  };
  if (options.features.empty()) {
    MR_TRY(const KeyGroups groups,
           group_by_keys(rows, options.same_keys, "mmr.same_keys", scratch));
    choose_by([ids = groups.ids.data()](std::size_t left, std::size_t right) {
      return ids[left] == ids[right] ? 1.0 : 0.0;
    });
  } else {
    MR_TRY(const Features features, Features::load(rows, options.features, scratch));
    choose_by(
        [&features](std::size_t left, std::size_t right) { return features.cosine(left, right); });
  }
  for (std::uint32_t& position : chosen.span()) position = rows.row_at(position);
  return RowSet(rows.batch(), std::move(chosen));
}

}  // namespace millrace::rows
