#include "rank/row_flow.h"

#include <algorithm>
#include <string_view>
#include <variant>

#include "rows/batch.h"
#include "rows/column.h"

namespace millrace::rank {
namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

bool is_union(const plan::CompiledNode& node) {
  // A join adds columns of the right side to rows of the left side.
  return node.task->columns == plan::OutputColumns::kUnion && node.task->op != "join";
}

bool share_ids(const rows::RowSet& left, const rows::RowSet& right) {
  return left.batch()->ids().data() == right.batch()->ids().data();
}

// Compares as `==` does, except that NaN equals NaN: both are the value of one row.
bool is_same(const rows::Value& left, const rows::Value& right) {
  const auto* const number = std::get_if<double>(&left);
  if (number == nullptr || *number == *number) return left == right;
  const auto* const other = std::get_if<double>(&right);
  return other != nullptr && *other != *other;
}

// Whether a row has the values of another in all columns that both have.
bool have_equal_values(const rows::Batch& left,
                       rows::RowIndex left_row,
                       const rows::Batch& right,
                       rows::RowIndex right_row) {
  return std::ranges::all_of(left.columns(), [&](const rows::NamedColumn& entry) {
    const rows::Column* const other = right.find_column(entry.name);
    return other == nullptr ||
           is_same(entry.column->value_at(left_row), other->value_at(right_row));
  });
}

// Positions in `rows` of everything that equals one row.
RowPositions positions_equal_to(const rows::RowSet& rows,
                                const rows::Batch& batch,
                                rows::RowIndex row) {
  RowPositions found;
  const auto ids = rows.batch()->ids();
  for (std::size_t position = 0; position < rows.size(); ++position) {
    const rows::RowIndex candidate = rows.row_at(position);
    if (ids[candidate] == batch.ids()[row] &&
        have_equal_values(batch, row, *rows.batch(), candidate)) {
      found.push_back(position);
    }
  }
  return found;
}

}  // namespace

InputRole role_of(const plan::CompiledNode& node, std::size_t input) {
  if (node.task->columns == plan::OutputColumns::kFanOut)
    return input == 0 ? InputRole::kParents : InputRole::kLookup;
  if (node.task->columns == plan::OutputColumns::kGroups) return InputRole::kLookup;
  return input == 0 || is_union(node) ? InputRole::kRows : InputRole::kLookup;
}

bool makes_rows(const plan::CompiledNode& node) {
  return node.task->rows == plan::OutputRows::kSource || plan::makes_entities(*node.task);
}

RowFlow::RowFlow(const RunRows& run) : run_(run), positions_(run.rows.size()) {}

RowPositions RowFlow::follow(std::uint32_t node, std::size_t input, std::size_t position) {
  const plan::CompiledNode& compiled = run_.plan->nodes[node];
  const rows::RowSet& from = *run_.inputs[node][input];
  const rows::RowSet& to = *run_.rows[node];
  const bool unites = is_union(compiled);
  if (unites && (compiled.task->op == "concat" || compiled.task->op == "interleave")) {
    std::size_t place = position;
    for (std::size_t before = 0; before < input; ++before)
      place += run_.inputs[node][before]->size();
    if (compiled.task->op == "concat") return {place};
    // `interleave` concatenates its inputs first. That makes a new batch unless all inputs share
    // one.
    if (!share_ids(from, to)) return find_row(node, static_cast<rows::RowIndex>(place));
  }
  if (!share_ids(from, to)) return find_equal(node, input, position);
  const rows::RowIndex row = from.row_at(position);
  return unites ? find_shared(node, input, row) : find_row(node, row);
}

RowPositions RowFlow::find_row(std::uint32_t node, rows::RowIndex row) {
  const rows::RowSet& to = *run_.rows[node];
  RowPositions& positions = positions_[node];
  if (positions.empty()) {
    positions.assign(to.batch()->row_count(), kNowhere);
    for (std::size_t position = to.size(); position-- > 0;)
      positions[to.row_at(position)] = position;
  }
  if (positions[row] == kNowhere) return {};
  return {positions[row]};
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
  for (std::size_t position = 0; position < to.size(); ++position) {
    if (to.row_at(position) == row && earlier-- == 0) return {position};
  }
  return {};
}

RowPositions RowFlow::find_equal(std::uint32_t node,
                                 std::size_t input,
                                 std::size_t position) const {
  const rows::RowSet& from = *run_.inputs[node][input];
  const rows::RowIndex row = from.row_at(position);
  const auto found = positions_equal_to(*run_.rows[node], *from.batch(), row);
  // Rows with equal values in all columns take the positions found for them in order.
  const auto alike = positions_equal_to(from, *from.batch(), row);
  const auto self = std::ranges::find(alike, position) - alike.begin();
  const std::size_t share = found.size() / alike.size();
  const auto begin = found.begin() + self * static_cast<std::ptrdiff_t>(share);
  return {begin, begin + static_cast<std::ptrdiff_t>(share)};
}

}  // namespace millrace::rank
