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
#include "rows/stop_check.h"

namespace millrace::rows {

using base::ErrorCode;
using base::fail;
using base::Result;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// One number per row of the set; NaN for null.
Result<Array<double>> load_numbers(const Column& column, const RowSet& rows, RowScratch& scratch) {
  Array<double> out = scratch.make_array<double>(rows.size());
  const auto load = [&](auto values) {
    return in_parts(rows.size(), scratch.stop(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const RowIndex row = rows.row_at(i);
        out[i] = column.is_null(row) ? kNan : static_cast<double>(values[row]);
      }
    });
  };
  base::Status loaded;
  switch (column.type()) {
    case ColumnType::kInt64:
      loaded = load(column.int64s());
      break;
    case ColumnType::kFloat64:
      loaded = load(column.float64s());
      break;
    case ColumnType::kBool:
      loaded = load(column.bools());
      break;
    case ColumnType::kString:
      loaded = load(column.codes());
      break;
  }
  MR_TRY_STATUS(std::move(loaded));
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
base::Status scale_to_relevance(std::span<double> scores, const StopCheck& stop) {
  double least = kInfinity;
  double greatest = -kInfinity;
  MR_TRY_STATUS(in_parts(scores.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (const double score : scores.subspan(begin, end - begin)) {
      if (!std::isfinite(score)) continue;
      least = std::min(least, score);
      greatest = std::max(greatest, score);
    }
  }));
  // Halves each operand first, because the difference of two finite numbers may be infinite.
  const double range = greatest / 2 - least / 2;
  return in_parts(scores.size(), stop, [&](std::size_t begin, std::size_t end) {
    for (double& score : scores.subspan(begin, end - begin)) {
      if (std::isnan(score)) {
        score = 0;
      } else if (std::isinf(score)) {
        score = score > 0 ? 1 : 0;
      } else {
        score = range > 0 ? (score / 2 - least / 2) / range : 1;
      }
    }
  });
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
      MR_TRY(const Array<double> numbers, load_numbers(*column, rows, scratch));
      MR_TRY_STATUS(in_parts(rows.size(), scratch.stop(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
          features.vector(row)[i] = std::isfinite(numbers[row]) ? numbers[row] : 0;
        }
      }));
    }
    MR_TRY_STATUS(in_parts(rows.size(), scratch.stop(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) normalise(features.vector(row));
    }));
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

// The rows among which the next one is chosen: one entry per row.
struct Rivals {
  std::span<double> relevance;  // -inf for a row that is chosen, which never wins again
  std::span<double> nearest;    // the greatest similarity to a row that is chosen
  double lambda;
};

// Gives the position of the row to choose next.
Result<std::size_t> find_next(const Rivals& rivals, const StopCheck& stop) {
  std::size_t best = 0;
  double best_value = -kInfinity;
  const std::size_t count = rivals.relevance.size();
  MR_TRY_STATUS(in_parts(count, stop, [&](std::size_t begin, std::size_t end) {
    const double* const relevance = rivals.relevance.data();
    const double* const nearest = rivals.nearest.data();
    const double lambda = rivals.lambda;
    std::size_t part_best = best;
    double part_value = best_value;
    for (std::size_t i = begin; i < end; ++i) {
      const double value = lambda * relevance[i] - (1 - lambda) * nearest[i];
      if (value > part_value) {
        part_best = i;
        part_value = value;
      }
    }
    best = part_best;
    best_value = part_value;
  }));
  return best;
}

// Chooses positions greedily; `similarity(chosen, position)` compares two rows.
template <class Similarity>
base::Status choose(const Rivals& rivals,
                    std::span<std::uint32_t> chosen,
                    const StopCheck& stop,
                    Similarity similarity) {
  double* const nearest = rivals.nearest.data();
  for (std::size_t step = 0; step < chosen.size(); ++step) {
    MR_TRY(const std::size_t best, find_next(rivals, stop));
    chosen[step] = static_cast<std::uint32_t>(best);
    rivals.relevance[best] = -kInfinity;
    const bool is_first = step == 0;
    const auto compare = [=](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const double near = similarity(best, i);
        nearest[i] = is_first ? near : std::max(nearest[i], near);
      }
    };
    MR_TRY_STATUS(in_parts(rivals.nearest.size(), stop, compare));
  }
  return {};
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
  MR_TRY(Array<double> relevance, load_numbers(*score, rows, scratch));
  MR_TRY_STATUS(scale_to_relevance(relevance.span(), scratch.stop()));
  Array<double> nearest = scratch.make_array<double>(rows.size());
  MR_TRY_STATUS(fill_in_parts(nearest.span(), 0.0, scratch.stop()));
  const std::size_t count = std::min(static_cast<std::size_t>(options.count), rows.size());
  Array<std::uint32_t> chosen = scratch.make_array<std::uint32_t>(count);
  const Rivals rivals{relevance.span(), nearest.span(), options.lambda};
  if (options.features.empty()) {
    MR_TRY(const KeyGroups groups,
           group_by_keys(rows, options.same_keys, "mmr.same_keys", scratch));
    const auto same = [ids = groups.ids.data()](std::size_t left, std::size_t right) {
      return ids[left] == ids[right] ? 1.0 : 0.0;
    };
    MR_TRY_STATUS(choose(rivals, chosen.span(), scratch.stop(), same));
  } else {
    MR_TRY(const Features features, Features::load(rows, options.features, scratch));
    const auto cosine = [&features](std::size_t left, std::size_t right) {
      return features.cosine(left, right);
    };
    MR_TRY_STATUS(choose(rivals, chosen.span(), scratch.stop(), cosine));
  }
  MR_TRY_STATUS(in_parts(count, scratch.stop(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) chosen[i] = rows.row_at(chosen[i]);
  }));
  return RowSet(rows.batch(), std::move(chosen));
}

}  // namespace millrace::rows
