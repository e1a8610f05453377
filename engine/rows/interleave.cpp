#include "rows/interleave.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "rows/concat.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "rows/stop_check.h"

namespace millrace::rows {

using base::ErrorCode;
using base::fail;
using base::Result;

namespace {

// Concatenates the inputs into one row set, then picks its rows input by input.
class Loom {
 public:
  static Result<Loom> make(std::span<const RowSet> inputs, RowScratch& scratch) {
    MR_TRY(RowSet all, concat(inputs, {}, scratch));
    return Loom(std::move(all), inputs, scratch);
  }

  /// Begins the next part of the rows; false when there is none.
  [[nodiscard]] bool begin_part() {
    part_end_ = std::min(woven_ + kStopCheckRows, all_.size());
    return is_in_part();
  }
  [[nodiscard]] bool is_in_part() const { return woven_ < part_end_; }
  [[nodiscard]] bool has_more(std::size_t input) const { return next_[input] < end_[input]; }
  /// Number of rows taken from an input so far.
  [[nodiscard]] std::size_t taken(std::size_t input) const { return next_[input] - begin(input); }
  void take_from(std::size_t input) { index_[woven_++] = all_.row_at(next_[input]++); }
  [[nodiscard]] RowSet finish() { return RowSet(all_.batch(), std::move(index_)); }

 private:
  Loom(RowSet all, std::span<const RowSet> inputs, RowScratch& scratch)
      : all_(std::move(all)), index_(scratch.make_array<RowIndex>(all_.size())) {
    std::size_t position = 0;
    for (const RowSet& input : inputs) {
      next_.push_back(position);
      position += input.size();
      end_.push_back(position);
    }
  }
  [[nodiscard]] std::size_t begin(std::size_t input) const {
    return input == 0 ? 0 : end_[input - 1];
  }

  RowSet all_;
  Array<RowIndex> index_;
  std::vector<std::size_t> next_;  // by input, position in all_
  std::vector<std::size_t> end_;
  std::size_t woven_ = 0;
  std::size_t part_end_ = 0;
};

Result<std::vector<std::size_t>> read_pattern(std::string_view pattern, std::size_t input_count) {
  std::vector<std::size_t> sequence;
  std::vector<bool> named(input_count, false);
  for (const char letter : pattern) {
    const auto input = static_cast<std::size_t>(letter - 'a');
    if (letter < 'a' || letter > 'z' || input >= input_count) {
      return fail(ErrorCode::kInvalidArgument,
                  "Pattern has a letter without an input: '" + std::string(1, letter) + "' among " +
                      std::to_string(input_count) + " inputs",
                  "interleave.pattern");
    }
    sequence.push_back(input);
    named[input] = true;
  }
  for (std::size_t input = 0; input < input_count; ++input) {
    if (!named[input]) {
      return fail(ErrorCode::kInvalidArgument,
                  "Pattern leaves out an input: number " + std::to_string(input + 1),
                  "interleave.pattern");
    }
  }
  return sequence;
}

base::Status check_weights(std::span<const double> weights, std::size_t input_count) {
  if (weights.size() != input_count) {
    return fail(ErrorCode::kInvalidArgument,
                "Weights and inputs differ in number: " + std::to_string(weights.size()) + " and " +
                    std::to_string(input_count),
                "interleave.weights");
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i]) || weights[i] <= 0) {
      return fail(ErrorCode::kInvalidArgument,
                  "Weight must be finite and positive: " + std::to_string(weights[i]),
                  "interleave.weights[" + std::to_string(i) + "]");
    }
  }
  return {};
}

// Gives the input with the least quotient. At least one input must have rows left.
std::size_t most_due(const Loom& loom, std::span<const double> weights) {
  std::size_t chosen = weights.size();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t input = 0; input < weights.size(); ++input) {
    if (!loom.has_more(input)) continue;
    const double due = static_cast<double>(2 * loom.taken(input) + 1) / weights[input];
    // The first input with rows is chosen even when tiny weights make every quotient infinite.
    if (chosen == weights.size() || due < least) {
      chosen = input;
      least = due;
    }
  }
  return chosen;
}

}  // namespace

Result<RowSet> interleave_pattern(std::span<const RowSet> inputs,
                                  std::string_view pattern,
                                  RowScratch& scratch) {
  MR_TRY(const std::vector<std::size_t> sequence, read_pattern(pattern, inputs.size()));
  MR_TRY(Loom loom, Loom::make(inputs, scratch));
  while (loom.begin_part()) {
    MR_TRY_STATUS(scratch.stop().check());
    while (loom.is_in_part()) {
      for (const std::size_t input : sequence) {
        if (loom.has_more(input)) loom.take_from(input);
      }
    }
  }
  return loom.finish();
}

Result<RowSet> interleave_weighted(std::span<const RowSet> inputs,
                                   std::span<const double> weights,
                                   RowScratch& scratch) {
  MR_TRY_STATUS(check_weights(weights, inputs.size()));
  MR_TRY(Loom loom, Loom::make(inputs, scratch));
  while (loom.begin_part()) {
    MR_TRY_STATUS(scratch.stop().check());
    while (loom.is_in_part()) loom.take_from(most_due(loom, weights));
  }
  return loom.finish();
}

}  // namespace millrace::rows
