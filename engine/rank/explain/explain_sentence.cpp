#include "rank/explain/explain_sentence.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <variant>

#include "base/format.h"
#include "expr/why_not.h"
#include "rank/candidate_writer.h"
#include "rank/explain/row_flow.h"
#include "rank/output_order.h"
#include "rows/batch.h"

namespace millrace::rank {
namespace {

using base::format;
using plan::CompiledNode;

// Says which node it is; the op is left out where the id says it.
std::string label(const CompiledNode& node) {
  if (node.id == node.task->op) return format("`{}`", node.id);
  return format("`{}` ({})", node.id, node.task->op);
}

std::string plural(std::size_t count, std::string_view word) {
  return format("{} {}{}", count, word, count == 1 ? "" : "s");
}

rows::Value cell_of(const rows::RowSet& rows, std::size_t position, std::string_view key) {
  const rows::Column* const column = rows.batch()->find_column(key);
  return column != nullptr ? column->value_at(rows.row_at(position)) : rows::Value();
}

// The keys with the values of one row: "author_id 7, language "en"".
std::string values_of(const rows::RowSet& rows,
                      std::size_t position,
                      std::span<const std::string> keys) {
  std::string text;
  for (const std::string& key : keys) {
    text += format(
        "{}{} {}", text.empty() ? "" : ", ", key, expr::value_text(cell_of(rows, position, key)));
  }
  return text;
}

std::string list_of(std::span<const std::string> keys) {
  std::string text;
  for (const std::string& key : keys) text += format("{}{}", text.empty() ? "" : ", ", key);
  return text;
}

std::span<const std::string> keys_of(const CompiledNode& node, std::string_view name) {
  const auto* const keys = find_param<std::vector<std::string>>(node, name);
  return keys != nullptr ? std::span<const std::string>(*keys) : std::span<const std::string>();
}

std::int64_t int_of(const CompiledNode& node, std::string_view name) {
  const auto* const value = find_param<std::int64_t>(node, name);
  return value != nullptr ? *value : 0;
}

}  // namespace

ExplainSentences::ExplainSentences(const ExplainSource& source)
    : source_(source), plan_(*source.run.plan) {
  const std::vector<std::int64_t>& exclude = source.request.exclude;
  for (const std::uint32_t output : plan_.outputs) {
    const rows::RowSet& rows = *source.run.rows[output];
    for (std::size_t position = 0; position < rows.size(); ++position) {
      const std::int64_t id = rows.batch()->ids()[rows.row_at(position)];
      candidate_count_ += std::binary_search(exclude.begin(), exclude.end(), id) ? 0 : 1;
    }
  }
}

std::string ExplainSentences::of(const ExplainedId& explained) const {
  const ExplainedPath* const path = explained.deciding_path();
  return path != nullptr ? of(*path) : of_absence();
}

std::string ExplainSentences::of(const ExplainedPath& path) const {
  switch (path.verdict) {
    case Verdict::kServed:
      return format("served: {} of {}, from output {}",
                    ordinal(path.rank),
                    plural(std::min(candidate_count_, candidate_max(source_.request)), "candidate"),
                    label(last_of(path)));
    case Verdict::kCut:
      return of_cut(path);
    case Verdict::kDropped:
      return of_drop(path);
    case Verdict::kUsed:
      return of_use(path);
    case Verdict::kUnused:
      return format("unused: {} gave it, but no output needs the rows of `{}`",
                    label(last_of(path)),
                    last_of(path).id);
    case Verdict::kNeverFetched:
      break;
  }
  return of_absence();
}

std::string ExplainSentences::of_cut(const ExplainedPath& path) const {
  const CompiledNode& node = last_of(path);
  const std::string_view op = node.task->op;
  if (path.reason == DropReason::kLimit) {
    return format("cut by the request: {} of {}, `limit` keeps {}",
                  ordinal(path.rank),
                  plural(candidate_count_, "candidate"),
                  *source_.request.limit);
  }
  if (path.reason == DropReason::kExclude) return "cut by the request: `exclude` has this id";
  if (op == "take" || op == "skip") return of_take(path);
  if (op == "group_limit") return of_group_limit(path);
  if (op == "dedupe") return of_dedupe(path);
  if (op == "sample") return of_sample(path);
  if (op == "diversify") return of_diversify(path);
  if (const auto* const order = find_param<std::vector<plan::OrderKey>>(node, "order");
      order != nullptr && !order->empty()) {
    const std::string& key = order->front().key;
    return format("cut by {}: it keeps the first {} by {}, and this row has {}",
                  label(node),
                  int_of(node, "count"),
                  key,
                  values_of(*path.rows, path.position, {&key, 1}));
  }
  return format("cut by {}: {} of {} that came in, and not among the {} that went out",
                label(node),
                ordinal(path.rank),
                plural(path.rows->size(), "row"),
                source_.run.rows[path.via.back()]->size());
}

std::string ExplainSentences::of_take(const ExplainedPath& path) const {
  const CompiledNode& node = last_of(path);
  std::string place = format("{} of {}", ordinal(path.rank), plural(path.rows->size(), "row"));
  if (path.via.size() >= 2) {
    if (const auto order = find_order(plan_, path.via[path.via.size() - 2])) {
      place = format(
          "{} by {}", ordinal(path.rank), values_of(*path.rows, path.position, {&order->key, 1}));
    }
  }
  return format("cut: {}, {} {} {}",
                place,
                label(node),
                node.task->op == "take" ? "keeps the first" : "leaves out the first",
                int_of(node, "count"));
}

std::string ExplainSentences::of_group_limit(const ExplainedPath& path) const {
  const CompiledNode& node = last_of(path);
  const auto keys = keys_of(node, "by");
  std::size_t place = 0;
  for (std::size_t position = 0; position <= path.position; ++position) {
    const bool is_alike = std::ranges::all_of(keys, [&](const std::string& key) {
      return is_same_value(cell_of(*path.rows, position, key),
                           cell_of(*path.rows, path.position, key));
    });
    place += is_alike ? 1 : 0;
  }
  return format("cut: {} row with {}, {} keeps {} of each",
                ordinal(place),
                values_of(*path.rows, path.position, keys),
                label(node),
                int_of(node, "count"));
}

std::string ExplainSentences::of_dedupe(const ExplainedPath& path) const {
  const CompiledNode& node = last_of(path);
  const auto keys = keys_of(node, "by");
  std::string text = format("cut by {}: it keeps one row with {}",
                            label(node),
                            values_of(*path.rows, path.position, keys));
  if (!path.winner) return text;
  const rows::RowSet& kept = *path.winner_rows;
  const std::int64_t id = kept.batch()->ids()[kept.row_at(*path.winner)];
  const bool by_id = keys.size() == 1 && keys.front() == rows::kIdColumn;
  const std::string whose = by_id ? "" : format(" of id {}", id);
  const auto* const keep = find_param<std::string>(node, "keep");
  const auto* const score = find_param<std::string>(node, "score");
  if (keep != nullptr && *keep == "max" && score != nullptr) {
    const rows::Value best = cell_of(kept, *path.winner, *score);
    const rows::Value own = cell_of(*path.rows, path.position, *score);
    const auto write = expr::look_alike(best, own) ? &expr::exact_text : &expr::value_text;
    return format("{}, and kept that{} with {} {}; this one has {}",
                  text,
                  whose,
                  *score,
                  write(best),
                  write(own));
  }
  const bool keeps_last = keep != nullptr && *keep == "last";
  return format("{}, and kept the {} one{}", text, keeps_last ? "last" : "first", whose);
}

std::string ExplainSentences::of_sample(const ExplainedPath& path) const {
  const CompiledNode& node = last_of(path);
  if (const auto* const rate = find_param<double>(node, "rate"))
    return format("cut by {}: by chance; it keeps a share of {}", label(node), *rate);
  return format("cut by {}: by chance; it keeps {} of {}",
                label(node),
                int_of(node, "count"),
                plural(path.rows->size(), "row"));
}

std::string ExplainSentences::of_diversify(const ExplainedPath& path) const {
  const CompiledNode& node = last_of(path);
  if (const auto* const score = find_param<std::string>(node, "score")) {
    return format("cut by {}: it chose {} of {} by {} and by how they differ; this row has {}",
                  label(node),
                  int_of(node, "count"),
                  plural(path.rows->size(), "row"),
                  *score,
                  values_of(*path.rows, path.position, {score, 1}));
  }
  return format(
      "cut by {}: no row was left that kept its rule, at most {} with the same {} among {}, and "
      "this row has {}",
      label(node),
      int_of(node, "max_in_window"),
      list_of(keys_of(node, "by")),
      int_of(node, "window"),
      values_of(*path.rows, path.position, keys_of(node, "by")));
}

std::string ExplainSentences::of_drop(const ExplainedPath& path) const {
  const CompiledNode& node = last_of(path);
  switch (path.reason) {
    case DropReason::kMatch:
    case DropReason::kNoMatch:
      return of_join(path);
    case DropReason::kFallback:
      if (node.on_failure == plan::OnFailure::kUseNode) {
        return format("dropped: {} failed, and the rows of `{}` stood in for it",
                      label(node),
                      plan_.nodes[node.fallback_node].id);
      }
      return format("dropped: {} failed, and no rows stood in for it", label(node));
    case DropReason::kRowError:
      if (path.why.empty())
        return format("dropped by {}: a value of its row could not be read", label(node));
      break;
    default:
      break;
  }
  if (path.why.empty()) return format("dropped by {}", label(node));
  return format("dropped by {}: {}", label(node), path.why);
}

std::string ExplainSentences::of_join(const ExplainedPath& path) const {
  const CompiledNode& node = last_of(path);
  const auto* const kind = find_param<std::string>(node, "kind");
  const auto* const other = std::get_if<plan::NodeInput>(&node.inputs.back());
  const std::string rhs = other != nullptr ? plan_.nodes[other->node].id : "the right side";
  const auto keys = keys_of(node, "by");
  const std::string begin = format(
      "dropped by `{}` ({} join with `{}`): ", node.id, kind != nullptr ? *kind : "inner", rhs);
  const std::string values = values_of(*path.rows, path.position, keys);
  if (path.reason == DropReason::kMatch)
    return format("{}`{}` has a row with {}", begin, rhs, values);
  const bool has_null = std::ranges::any_of(keys, [&](const std::string& key) {
    return std::holds_alternative<std::monostate>(cell_of(*path.rows, path.position, key));
  });
  if (has_null) return format("{}it has {}, and null matches nothing", begin, values);
  const auto rhs_keys = keys_of(node, "rhs_by");
  const std::string renamed = rhs_keys.empty() ? "" : format(" (there: {})", list_of(rhs_keys));
  return format("{}no row of `{}` has {}{}", begin, rhs, values, renamed);
}

std::string ExplainSentences::of_use(const ExplainedPath& path) const {
  const CompiledNode& node = last_of(path);
  if (path.role == InputRole::kParents) {
    return format("used: {} made {} from it; its own row is no candidate",
                  label(node),
                  plural(path.made_rows, "row"));
  }
  if (node.task->op == "join") {
    const auto* const kind = find_param<std::string>(node, "kind");
    return format("used: it is on the right side of the {} join `{}`; its row is no candidate",
                  kind != nullptr ? *kind : "inner",
                  node.id);
  }
  if (path.via.back() == plan_.viewer_node)
    return "used: it is the viewer; its row is no candidate";
  return format("used: {} read it; its own row is no candidate", label(node));
}

std::string ExplainSentences::of_absence() const {
  std::string text;
  for (std::uint32_t node = 0; node < plan_.nodes.size(); ++node) {
    if (!is_followed(source_.run, node) || !makes_rows(plan_.nodes[node])) continue;
    text += format("{}{}", text.empty() ? "" : ", ", label(plan_.nodes[node]));
  }
  if (text.empty()) return "never fetched: the plan has no source that could give it";
  return format("never fetched: no row of {} has this id", text);
}

std::string ordinal(std::size_t number) {
  const bool is_teen = number / 10 % 10 == 1;
  const std::size_t last = number % 10;
  if (is_teen || last == 0 || last > 3) return format("{}th", number);
  constexpr std::string_view kEndings[] = {"st", "nd", "rd"};
  return format("{}{}", number, kEndings[last - 1]);
}

}  // namespace millrace::rank
