#include "rank/explain/row_flow.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/check.h"
#include "rank/prepared_plan.h"
#include "rows/batch.h"
#include "rows/column.h"
#include "rows/interleave.h"
#include "rows/row_scratch.h"

namespace millrace::rank {
namespace {

constexpr std::size_t kLetters = 26;  // of a pattern of `interleave`

bool is_union(const plan::CompiledNode& node) {
  // A join adds columns of the right side to rows of the left side.
  return node.task->columns == plan::OutputColumns::kUnion && node.task->op != "join";
}

bool keeps_last(const plan::CompiledNode& node) {
  if (node.task->op == "skip") return true;
  if (node.task->op != "dedupe") return false;
  const auto* const keep = find_param<std::string>(node, "keep");
  return keep != nullptr && *keep == "last";
}

// Weaves the numbers of the rows instead of the rows themselves: for each row of the inputs, one
// after another, `places` gets its position among the woven ones.
void weave(const plan::CompiledNode& node,
           std::span<const rows::RowSet* const> inputs,
           RowPositions& places) {
  std::size_t count = 0;
  for (const rows::RowSet* const input : inputs) count += input->size();
  std::vector<std::int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  const rows::RowSet all = rows_of_ids(numbers).value();
  std::vector<rows::RowSet> parts;
  std::string in_turn;
  std::size_t begin = 0;
  for (const rows::RowSet* const input : inputs) {
    in_turn += static_cast<char>('a' + parts.size());
    parts.push_back(all.window(begin, input->size()));
    begin += input->size();
  }
  const auto* const pattern = find_param<std::string>(node, "pattern");
  const auto* const weights = find_param<std::vector<double>>(node, "weights");
  rows::RowScratch scratch(0);
  const std::vector<double> alike(parts.size(), 1.0);
  const bool by_weight = (weights != nullptr && !weights->empty()) || parts.size() > kLetters;
  const bool has_pattern = pattern != nullptr && !pattern->empty();
  const auto woven =
      by_weight ? rows::interleave_weighted(
                      parts, weights != nullptr && !weights->empty() ? *weights : alike, scratch)
                : rows::interleave_pattern(parts, has_pattern ? *pattern : in_turn, scratch);
  MR_CHECK(woven.has_value());  // the node was woven in the same way
  places.assign(count, 0);
  for (std::size_t position = 0; position < count; ++position)
    places[woven->row_at(position)] = position;
}

bool share_ids(const rows::RowSet& left, const rows::RowSet& right) {
  return left.batch()->ids().data() == right.batch()->ids().data();
}

// Whether a row has the values of another in all columns that both have.
bool have_equal_values(const rows::Batch& left,
                       rows::RowIndex left_row,
                       const rows::Batch& right,
                       rows::RowIndex right_row) {
  return std::ranges::all_of(left.columns(), [&](const rows::NamedColumn& entry) {
    const rows::Column* const other = right.find_column(entry.name);
    return other == nullptr ||
           is_same_value(entry.column->value_at(left_row), other->value_at(right_row));
  });
}

// Of some positions in `rows`, those of everything that equals one row.
RowPositions positions_equal_to(const rows::RowSet& rows,
                                const RowPositions& positions,
                                const rows::Batch& batch,
                                rows::RowIndex row) {
  RowPositions found;
  for (const std::size_t position : positions) {
    if (have_equal_values(batch, row, *rows.batch(), rows.row_at(position)))
      found.push_back(position);
  }
  return found;
}

}  // namespace

bool is_same_value(const rows::Value& left, const rows::Value& right) {
  const auto* const number = std::get_if<double>(&left);
  if (number == nullptr || *number == *number) return left == right;
  const auto* const other = std::get_if<double>(&right);
  return other != nullptr && *other != *other;
}

InputRole role_of(const plan::CompiledNode& node, std::size_t input) {
  if (node.task->columns == plan::OutputColumns::kFanOut)
    return input == 0 ? InputRole::kParents : InputRole::kLookup;
  if (node.task->columns == plan::OutputColumns::kGroups) return InputRole::kLookup;
  return input == 0 || is_union(node) ? InputRole::kRows : InputRole::kLookup;
}

bool makes_rows(const plan::CompiledNode& node) {
  return node.task->rows == plan::OutputRows::kSource || plan::makes_entities(*node.task);
}

bool is_followed(const RunRows& run, std::uint32_t node) {
  return run.rows[node] != nullptr && !run.plan->nodes[node].is_unused;
}

RowFlow::RowFlow(const RunRows& run)
    : run_(run), copies_(run.rows.size()), woven_(run.rows.size()) {}

RowPositions RowFlow::follow(std::uint32_t node, std::size_t input, std::size_t position) {
  const plan::CompiledNode& compiled = run_.plan->nodes[node];
  const rows::RowSet& from = *run_.inputs[node][input];
  const bool unites = is_union(compiled);
  if (unites && (compiled.task->op == "concat" || compiled.task->op == "interleave")) {
    std::size_t place = position;
    for (std::size_t before = 0; before < input; ++before)
      place += run_.inputs[node][before]->size();
    if (compiled.task->op == "concat") return {place};
    return find_woven(node, place);
  }
  if (!share_ids(from, *run_.rows[node])) return find_equal(node, input, position);
  return unites ? find_shared(node, input, from.row_at(position)) : find_copy(node, from, position);
}

const RowFlow::Copies& RowFlow::copies_of(std::uint32_t node, const rows::RowSet& from) {
  if (copies_[node]) return *copies_[node];
  const rows::RowSet& to = *run_.rows[node];
  Copies& copies = copies_[node].emplace();
  work_ += from.size() + to.size() + to.batch()->row_count();
  copies.first_place.assign(to.batch()->row_count() + 1, 0);
  for (std::size_t position = 0; position < to.size(); ++position)
    ++copies.first_place[to.row_at(position) + 1];
  for (std::size_t row = 1; row < copies.first_place.size(); ++row)
    copies.first_place[row] += copies.first_place[row - 1];
  copies.places.assign(to.size(), 0);
  RowPositions next = copies.first_place;
  for (std::size_t position = 0; position < to.size(); ++position)
    copies.places[next[to.row_at(position)]++] = position;
  copies.input_counts.assign(to.batch()->row_count(), 0);
  copies.ordinals.reserve(from.size());
  for (std::size_t position = 0; position < from.size(); ++position)
    copies.ordinals.push_back(copies.input_counts[from.row_at(position)]++);
  return copies;
}

// Which copy of a row a node leaves out follows from its op: those that come first stay, but for
// `skip` and a `dedupe` that keeps the last row.
RowPositions RowFlow::find_copy(std::uint32_t node,
                                const rows::RowSet& from,
                                std::size_t position) {
  const Copies& copies = copies_of(node, from);
  const rows::RowIndex row = from.row_at(position);
  const std::size_t begin = copies.first_place[row];
  const std::size_t count = copies.first_place[row + 1] - begin;
  const std::size_t gone = copies.input_counts[row] - std::min(copies.input_counts[row], count);
  std::size_t ordinal = copies.ordinals[position];
  if (keeps_last(run_.plan->nodes[node])) {
    if (ordinal < gone) return {};
    ordinal -= gone;
  }
  if (ordinal >= count) return {};
  return {copies.places[begin + ordinal]};
}

RowPositions RowFlow::find_woven(std::uint32_t node, std::size_t place) {
  RowPositions& woven = woven_[node];
  if (woven.empty()) {
    weave(run_.plan->nodes[node], run_.inputs[node], woven);
    work_ += woven.size();
  }
  return {woven[place]};
}

// The same row of a batch may come from several inputs. Then the n-th copy among the inputs is the
// n-th among the outputs.
RowPositions RowFlow::find_shared(std::uint32_t node, std::size_t input, rows::RowIndex row) {
  const auto has_row = [&](const rows::RowSet& rows) {
    for (std::size_t position = 0; position < rows.size(); ++position) {
      if (rows.row_at(position) == row) return true;
    }
    return false;
  };
  std::size_t earlier = 0;
  for (std::size_t before = 0; before < input; ++before)
    earlier += has_row(*run_.inputs[node][before]) ? 1 : 0;
  const rows::RowSet& to = *run_.rows[node];
  work_ += to.size();
  for (std::size_t position = 0; position < to.size(); ++position) {
    if (to.row_at(position) == row && earlier-- == 0) return {position};
  }
  return {};
}

const RowPositions& RowFlow::positions_of(const rows::RowSet& rows, std::int64_t id) {
  static const RowPositions kNone;
  const auto [entry, is_new] = by_id_.try_emplace(&rows);
  if (is_new) {
    work_ += rows.size();
    for (std::size_t position = 0; position < rows.size(); ++position)
      entry->second[rows.batch()->ids()[rows.row_at(position)]].push_back(position);
  }
  const auto found = entry->second.find(id);
  if (found == entry->second.end()) return kNone;
  work_ += found->second.size();
  return found->second;
}

RowPositions RowFlow::find_equal(std::uint32_t node, std::size_t input, std::size_t position) {
  const rows::RowSet& from = *run_.inputs[node][input];
  const rows::RowSet& to = *run_.rows[node];
  const rows::RowIndex row = from.row_at(position);
  const std::int64_t id = from.batch()->ids()[row];
  const auto found = positions_equal_to(to, positions_of(to, id), *from.batch(), row);
  // Rows with equal values in all columns take the positions found for them in order.
  const auto alike = positions_equal_to(from, positions_of(from, id), *from.batch(), row);
  const auto self = std::ranges::find(alike, position) - alike.begin();
  const std::size_t share = found.size() / alike.size();
  const auto begin = found.begin() + self * static_cast<std::ptrdiff_t>(share);
  return {begin, begin + static_cast<std::ptrdiff_t>(share)};
}

}  // namespace millrace::rank
