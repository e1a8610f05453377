#include "rank/explain/explain_ids.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

#include "expr/why_not.h"
#include "rows/batch.h"

namespace millrace::rank {
namespace {

constexpr std::string_view kParentColumn = "parent_id";

struct Consumer {
  std::uint32_t node = 0;
  std::size_t input = 0;
};

std::optional<std::int64_t> parent_of(const rows::RowSet& rows, std::size_t position) {
  const rows::Column* const column = rows.batch()->find_column(kParentColumn);
  if (column == nullptr) return std::nullopt;
  const rows::Value value = column->value_at(rows.row_at(position));
  const auto* const id = std::get_if<std::int64_t>(&value);
  return id != nullptr ? std::optional(*id) : std::nullopt;
}

std::size_t count_children(const rows::RowSet& rows, std::int64_t parent) {
  std::size_t count = 0;
  for (std::size_t position = 0; position < rows.size(); ++position)
    count += parent_of(rows, position) == parent ? 1 : 0;
  return count;
}

// Says why a node removes rows: by a condition on their values, or because it keeps a limited
// number of rows (kNode).
DropReason reason_of(const plan::CompiledNode& node) {
  for (std::size_t index = 0; index < node.params.size(); ++index) {
    if (node.task->params[index].type == plan::ParamType::kPredicate &&
        std::holds_alternative<expr::CompiledExprRef>(node.params[index]))
      return DropReason::kPredicate;
  }
  if (node.task->op == "join") {
    const auto* const kind = std::get_if<std::string>(&node.param("kind"));
    return kind != nullptr && *kind == "anti" ? DropReason::kMatch : DropReason::kNoMatch;
  }
  const bool computes = std::ranges::any_of(node.params, [](const plan::ParamValue& value) {
    return std::holds_alternative<expr::CompiledExprRef>(value);
  });
  const bool fetches = node.task->kind == plan::TaskKind::kAsync;
  const bool drops_errors = node.on_row_error == plan::RowErrorRule::kDrop;
  return drops_errors && (computes || fetches) ? DropReason::kRowError : DropReason::kNode;
}

bool has_equal_cell(const rows::Batch& left,
                    rows::RowIndex left_row,
                    const rows::Batch& right,
                    rows::RowIndex right_row,
                    std::string_view key) {
  const rows::Column* const left_column = left.find_column(key);
  const rows::Column* const right_column = right.find_column(key);
  if (left_column == nullptr || right_column == nullptr) return left_column == right_column;
  return is_same_value(left_column->value_at(left_row), right_column->value_at(right_row));
}

// Orders the paths of an id: the least decides.
int weight_of(const ExplainedPath& path, std::int64_t id) {
  const int weight = 2 * static_cast<int>(path.verdict);
  if (!path.winner) return weight;
  const rows::RowSet& kept = *path.winner_rows;
  const bool is_own = kept.batch()->ids()[kept.row_at(*path.winner)] == id;
  return is_own ? 2 * static_cast<int>(Verdict::kUsed) + 1 : weight;
}

// Follows rows through the plan, one id after another.
class PathFinder {
 public:
  explicit PathFinder(const ExplainSource& source)
      : source_(source), run_(source.run), plan_(*source.run.plan), flow_(source.run) {
    consumers_.resize(plan_.nodes.size());
    for (std::uint32_t node = 0; node < plan_.nodes.size(); ++node) {
      const auto& inputs = plan_.nodes[node].inputs;
      for (std::size_t input = 0; input < inputs.size(); ++input) {
        const auto* const from = std::get_if<plan::NodeInput>(&inputs[input]);
        if (from != nullptr && is_followed(run_, node))
          consumers_[from->node].push_back({node, input});
      }
    }
    rank_candidates();
    viewer_ = viewer_values(source);
  }

  std::vector<ExplainedId> explain(std::span<const std::int64_t> ids) {
    std::vector<ExplainedId> explained(ids.size());
    ById by_id;
    for (std::size_t index = 0; index < ids.size(); ++index) {
      explained[index].id = ids[index];
      by_id.try_emplace(ids[index], &explained[index]);
      wanted_bits_ |= bit_of(ids[index]);
    }
    for (std::uint32_t node = 0; node < plan_.nodes.size(); ++node) enter(node, by_id);
    if (source_.stop.stop_requested()) return explained;
    if (is_cut_short_) find_candidates(by_id);
    // An id that is asked for twice is followed once.
    for (ExplainedId& one : explained) {
      if (const ExplainedId* const first = by_id.find(one.id)->second; first != &one) one = *first;
    }
    return explained;
  }

 private:
  using ById = std::unordered_map<std::int64_t, ExplainedId*>;

  // A cheap test before the look-up in the map: `wanted_bits_` has one of 64 bits set for each
  // wanted id, chosen by a hash. Most rows have an id whose bit is not set.
  static std::uint64_t bit_of(std::int64_t id) {
    constexpr std::uint64_t kScatter = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
    return std::uint64_t{1} << (static_cast<std::uint64_t>(id) * kScatter >> 58U);
  }

  // Gives each row of the outputs its rank among the candidates; 0 for one that is excluded.
  void rank_candidates() {
    const std::vector<std::int64_t>& exclude = source_.request.exclude;
    std::size_t rank = 0;
    for (const std::uint32_t output : plan_.outputs) {
      const rows::RowSet& rows = *run_.rows[output];
      RowPositions& ranks = ranks_[output];
      ranks.reserve(rows.size());
      for (std::size_t position = 0; position < rows.size(); ++position) {
        const std::int64_t id = rows.batch()->ids()[rows.row_at(position)];
        const bool excluded = std::binary_search(exclude.begin(), exclude.end(), id);
        ranks.push_back(excluded ? 0 : ++rank);
      }
    }
  }

  // Starts a path for each row that enters the plan at a node and has a wanted id.
  void enter(std::uint32_t node, ById& by_id) {
    const plan::CompiledNode& compiled = plan_.nodes[node];
    if (run_.rows[node] == nullptr) return;
    // The rows of a request field are not kept when their node fails. With `use: input` they are
    // the node's result, so they enter the plan here.
    if (compiled.is_unused) {
      if (makes_rows(compiled) && !run_.stood_in[node])
        enter_rows(*run_.rows[node], {node, kNoInput}, by_id);
      return;
    }
    const bool passes_field = run_.stood_in[node] && !compiled.inputs.empty() &&
                              compiled.on_failure == plan::OnFailure::kUseInput &&
                              run_.inputs[node].front() == nullptr;
    if (passes_field || (makes_rows(compiled) && !run_.stood_in[node]))
      enter_rows(*run_.rows[node], {node, kNoInput}, by_id);
    for (std::size_t input = 0; input < compiled.inputs.size(); ++input) {
      const bool from_outside = !std::holds_alternative<plan::NodeInput>(compiled.inputs[input]);
      const rows::RowSet* const rows = run_.inputs[node][input];
      if (from_outside && rows != nullptr) enter_rows(*rows, {node, input}, by_id);
    }
  }

  void enter_rows(const rows::RowSet& rows, Consumer place, ById& by_id) {
    const auto ids = rows.batch()->ids();
    for (std::size_t position = 0; position < rows.size(); ++position) {
      const std::int64_t id = ids[rows.row_at(position)];
      if ((wanted_bits_ & bit_of(id)) == 0) continue;
      const auto wanted = by_id.find(id);
      if (wanted == by_id.end()) continue;
      explained_ = wanted->second;
      path_ = {};
      path_.parent = parent_of(rows, position);
      work_before_ = steps_ + flow_.work();
      if (place.input == kNoInput) {
        visit(place.node, position);
      } else {
        path_.from_input = place.input;
        pass(place, rows, position);
      }
      work_[explained_] += steps_ + flow_.work() - work_before_;
    }
  }

  // Says whether following the rows of this id has cost so much that the others are not followed.
  [[nodiscard]] bool is_over_budget() {
    const std::size_t work = steps_ + flow_.work();
    if (work >= looked_at_work_ + kWorkPerLook) {
      looked_at_work_ = work;
      is_stopped_ = source_.stop.stop_requested();
    }
    if (is_stopped_) return true;
    if (work_[explained_] + work - work_before_ <= kWorkMax) return false;
    explained_->has_more_paths = true;
    is_cut_short_ = true;
    return true;
  }

  // Notes which ids are candidates when not all of their rows could be followed.
  void find_candidates(ById& by_id) {
    for (const std::uint32_t output : plan_.outputs) {
      const rows::RowSet& rows = *run_.rows[output];
      for (std::size_t position = 0; position < rows.size(); ++position) {
        const auto wanted = by_id.find(rows.batch()->ids()[rows.row_at(position)]);
        if (wanted == by_id.end() || wanted->second->verdict() == Verdict::kServed) continue;
        explained_ = wanted->second;
        path_ = {};
        path_.via = {output};
        answer(output, position, ranks_[output][position]);
      }
    }
  }

  // Goes on with the row at `position` of the rows that `node` made.
  void visit(std::uint32_t node, std::size_t position) {
    ++steps_;
    if (is_over_budget()) return;
    path_.via.push_back(node);
    const std::size_t told = path_count_;
    if (const auto ranks = ranks_.find(node); ranks != ranks_.end())
      answer(node, position, ranks->second[position]);
    for (const Consumer& consumer : consumers_[node]) pass(consumer, *run_.rows[node], position);
    for (std::uint32_t other = 0; other < plan_.nodes.size(); ++other) {
      if (run_.stood_in[other] && plan_.nodes[other].fallback_node == node &&
          run_.rows[other] == run_.rows[node])
        visit(other, position);
    }
    if (path_count_ == told) {
      const bool is_viewer = node == plan_.viewer_node;
      end({.verdict = is_viewer ? Verdict::kUsed : Verdict::kUnused,
           .rows = run_.rows[node],
           .position = position,
           .role = InputRole::kLookup});
    }
    path_.via.pop_back();
  }

  // Finds out what a node did with the row at `position` of one of its inputs.
  void pass(Consumer to, const rows::RowSet& rows, std::size_t position) {
    const rows::RowSet* const made = run_.rows[to.node];
    if (made == nullptr || is_over_budget()) return;
    const plan::CompiledNode& node = plan_.nodes[to.node];
    if (run_.stood_in[to.node]) return pass_stand_in(to, rows, position);
    const InputRole role = role_of(node, to.input);
    if (role != InputRole::kRows) {
      path_.via.push_back(to.node);
      const std::int64_t id = rows.batch()->ids()[rows.row_at(position)];
      end({.verdict = Verdict::kUsed,
           .rows = &rows,
           .position = position,
           .made_rows = role == InputRole::kParents ? children_of(*made, id) : 0,
           .role = role});
      return path_.via.pop_back();
    }
    const auto positions = flow_.follow(to.node, to.input, position);
    for (const std::size_t next : positions) visit(to.node, next);
    if (!positions.empty()) return;
    leave(to.node, rows, position, reason_of(node));
  }

  void pass_stand_in(Consumer to, const rows::RowSet& rows, std::size_t position) {
    const rows::RowSet& made = *run_.rows[to.node];
    const bool passes_on = plan_.nodes[to.node].on_failure == plan::OnFailure::kUseInput &&
                           to.input == 0 && made.batch() == rows.batch() &&
                           made.size() == rows.size();
    if (passes_on) return visit(to.node, position);
    leave(to.node, rows, position, DropReason::kFallback);
  }

  void leave(std::uint32_t node, const rows::RowSet& rows, std::size_t position, DropReason why) {
    path_.via.push_back(node);
    ExplainedPath path{.verdict = why == DropReason::kNode ? Verdict::kCut : Verdict::kDropped,
                       .reason = why,
                       .rows = &rows,
                       .position = position,
                       .rank = position + 1};
    if (why == DropReason::kPredicate || why == DropReason::kRowError) {
      if (wants(path)) tell_refusal(plan_.nodes[node], path);
    } else if (why == DropReason::kNode && plan_.nodes[node].task->op == "dedupe") {
      path.winner = find_winner(node, rows, position);
      path.winner_rows = run_.rows[node];
    }
    end(std::move(path));
    path_.via.pop_back();
  }

  // Puts what the node's expressions have against the row into words, and tells a predicate that
  // is not met from one that failed.
  void tell_refusal(const plan::CompiledNode& node, ExplainedPath& path) const {
    const expr::Bindings bindings{.params = source_.params,
                                  .request = source_.request_fields,
                                  .viewer = viewer_,
                                  .now = source_.now};
    for (const plan::ParamValue& param : node.params) {
      const auto* const compiled = std::get_if<expr::CompiledExprRef>(&param);
      if (compiled == nullptr) continue;
      expr::WhyNot why = expr::why_not(**compiled, bindings, path.rows->window(path.position, 1));
      if (why.text.empty()) continue;
      if (why.is_error) path.reason = DropReason::kRowError;
      path.why = std::move(why.text);
      return;
    }
  }

  [[nodiscard]] std::size_t children_of(const rows::RowSet& rows, std::int64_t parent) {
    steps_ += rows.size();
    return count_children(rows, parent);
  }

  // The row with the same keys that a `dedupe` kept.
  [[nodiscard]] std::optional<std::size_t> find_winner(std::uint32_t node,
                                                       const rows::RowSet& rows,
                                                       std::size_t position) {
    const auto* const keys = std::get_if<std::vector<std::string>>(&plan_.nodes[node].param("by"));
    if (keys == nullptr) return std::nullopt;
    const rows::RowSet& kept = *run_.rows[node];
    steps_ += kept.size();
    const rows::RowIndex row = rows.row_at(position);
    for (std::size_t other = 0; other < kept.size(); ++other) {
      const bool is_equal = std::ranges::all_of(*keys, [&](const std::string& key) {
        return has_equal_cell(*rows.batch(), row, *kept.batch(), kept.row_at(other), key);
      });
      if (is_equal) return other;
    }
    return std::nullopt;
  }

  void answer(std::uint32_t node, std::size_t position, std::size_t rank) {
    ExplainedPath path{
        .verdict = Verdict::kServed, .rows = run_.rows[node], .position = position, .rank = rank};
    const auto limit = source_.request.limit;
    if (rank == 0) {
      path.verdict = Verdict::kCut;
      path.reason = DropReason::kExclude;
      path.rank = position + 1;
    } else if (limit && rank > static_cast<std::size_t>(*limit)) {
      path.verdict = Verdict::kCut;
      path.reason = DropReason::kLimit;
    }
    end(std::move(path));
  }

  // Whether there is room for a path, or it comes before one that is kept.
  [[nodiscard]] bool wants(const ExplainedPath& path) const {
    return explained_->paths.size() < kPathsMax ||
           weight_of(path, explained_->id) < weight_of(*last_by_weight(), explained_->id);
  }

  [[nodiscard]] ExplainedPath* last_by_weight() const {
    auto& paths = explained_->paths;
    auto last = paths.begin();
    for (auto path = paths.begin(); path != paths.end(); ++path) {
      if (weight_of(*path, explained_->id) >= weight_of(*last, explained_->id)) last = path;
    }
    return &*last;
  }

  void end(ExplainedPath path) {
    ++path_count_;
    path.from_input = path_.from_input;
    path.parent = path_.parent;
    path.via = path_.via;
    if (explained_->paths.size() < kPathsMax) return explained_->paths.push_back(std::move(path));
    explained_->has_more_paths = true;
    if (wants(path)) *last_by_weight() = std::move(path);
  }

  static constexpr std::size_t kNoInput = static_cast<std::size_t>(-1);
  // Rows looked at for one id; where tasks copy rows, following one costs as much as there are rows
  // of its id.
  static constexpr std::size_t kWorkMax = 20'000'000;
  // How much is done between two looks whether it should stop.
  static constexpr std::size_t kWorkPerLook = 10'000;

  const ExplainSource& source_;
  const RunRows& run_;
  const plan::CompiledPlan& plan_;
  RowFlow flow_;
  base::PooledVector<base::PooledVector<Consumer>> consumers_;  // by node
  std::unordered_map<std::uint32_t, RowPositions> ranks_;       // by output node, then by position
  std::vector<rows::Value> viewer_;
  std::uint64_t wanted_bits_ = 0;  // see bit_of
  std::size_t steps_ = 0;
  std::size_t work_before_ = 0;  // steps and work of the flow when the current row was entered
  std::unordered_map<const ExplainedId*, std::size_t> work_;
  bool is_cut_short_ = false;
  std::size_t looked_at_work_ = 0;
  bool is_stopped_ = false;
  std::size_t path_count_ = 0;  // of all ids, those not kept too
  ExplainedId* explained_ = nullptr;
  ExplainedPath path_;  // the part that all paths through the current row share
};

}  // namespace

std::string_view to_string(Verdict verdict) {
  constexpr std::array<std::string_view, 6> kNames{
      "served", "cut", "dropped", "used", "unused", "never_fetched"};
  return kNames.at(static_cast<std::size_t>(verdict));
}

const ExplainedPath* ExplainedId::deciding_path() const {
  const ExplainedPath* best = nullptr;
  for (const ExplainedPath& path : paths) {
    if (best == nullptr || weight_of(path, id) < weight_of(*best, id)) best = &path;
  }
  return best;
}

Verdict ExplainedId::verdict() const {
  const ExplainedPath* const path = deciding_path();
  return path != nullptr ? path->verdict : Verdict::kNeverFetched;
}

std::vector<rows::Value> viewer_values(const ExplainSource& source) {
  const plan::CompiledPlan& plan = *source.run.plan;
  std::vector<rows::Value> values(plan.viewer_fields.size());
  if (plan.viewer_node == plan::kNoPlanNode) return values;
  const rows::RowSet* const viewer = source.run.rows[plan.viewer_node];
  if (viewer == nullptr || viewer->empty()) return values;
  for (std::size_t index = 0; index < values.size(); ++index) {
    const rows::Column* const column = viewer->batch()->find_column(plan.viewer_fields[index].name);
    if (column != nullptr) values[index] = column->value_at(viewer->row_at(0));
  }
  return values;
}

std::vector<ExplainedId> explain_ids(const ExplainSource& source) {
  return PathFinder(source).explain(*source.request.explain_ids);
}

}  // namespace millrace::rank
