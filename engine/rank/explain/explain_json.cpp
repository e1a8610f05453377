#include "rank/explain/explain_json.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "expr/compiled_expr.h"
#include "rank/explain/explain_absence.h"
#include "rank/explain/explain_sentence.h"
#include "rank/response.h"
#include "rows/batch.h"

namespace millrace::rank {
namespace {

using base::JsonWriter;

std::string_view name_of(DropReason reason) {
  switch (reason) {
    case DropReason::kPredicate:
      return "predicate";
    case DropReason::kRowError:
      return "row_error";
    case DropReason::kNoMatch:
      return "no_match";
    case DropReason::kMatch:
      return "match";
    case DropReason::kFallback:
      return "fallback";
    case DropReason::kLimit:
      return "limit";
    case DropReason::kExclude:
      return "exclude";
    case DropReason::kNode:
    case DropReason::kNone:
      break;
  }
  return "";
}

std::string_view op_of(const plan::CompiledNode& node) { return node.task->op; }

class ExplanationWriter {
 public:
  ExplanationWriter(JsonWriter& json, const ExplainSource& source, bool ids_as_strings)
      : json_(json),
        source_(source),
        plan_(*source.run.plan),
        ids_as_strings_(ids_as_strings),
        viewer_(viewer_values(source)),
        absence_(source),
        sentences_(source) {}

  void write(const ExplainedId& explained) {
    json_.begin_object();
    json_.key("id");
    write_id(json_, explained.id, ids_as_strings_);
    json_.member("verdict", to_string(explained.verdict()));
    json_.member("sentence", sentences_.of(explained));
    json_.key("paths");
    json_.begin_array();
    for (const ExplainedPath& path : explained.paths) write_path(path);
    json_.end_array();
    if (explained.has_more_paths) json_.member("more_paths", true);
    if (explained.verdict() > Verdict::kDropped) {
      json_.key("absent_from");
      absence_.write(json_);
    }
    json_.end_object();
  }

 private:
  void write_path(const ExplainedPath& path) {
    const plan::CompiledNode& last = plan_.nodes[path.via.back()];
    json_.begin_object();
    json_.member("verdict", to_string(path.verdict));
    if (path.from_input)
      json_.member("from", outside_name(plan_.nodes[path.via.front()], *path.from_input));
    if (path.parent) {
      json_.key("parent_id");
      write_id(json_, *path.parent, ids_as_strings_);
    }
    json_.key("via");
    json_.begin_array();
    for (const std::uint32_t node : path.via) json_.value(plan_.nodes[node].id);
    json_.end_array();
    switch (path.verdict) {
      case Verdict::kServed:
        json_.member("rank", path.rank);
        json_.member("output", last.id);
        write_fields(path);
        break;
      case Verdict::kCut:
        write_cut(path, last);
        break;
      case Verdict::kDropped:
        write_drop(path, last);
        break;
      default:
        write_use(path, last);
        break;
    }
    json_.member("sentence", sentences_.of(path));
    json_.end_object();
  }

  void write_node(const plan::CompiledNode& node) {
    json_.member("node", node.id);
    json_.member("op", op_of(node));
  }

  void write_cut(const ExplainedPath& path, const plan::CompiledNode& node) {
    if (path.reason != DropReason::kNode) {
      json_.member("by", name_of(path.reason));
      json_.member("rank", path.rank);
      json_.member("output", node.id);
      if (path.reason == DropReason::kLimit) json_.member("limit", *source_.request.limit);
      return write_fields(path);
    }
    json_.member("by", op_of(node));
    write_node(node);
    json_.member("rank", path.rank);
    // A `diversify` by windows has a param `count` that it does not use.
    const bool counts =
        op_of(node) != "diversify" || find_param<std::string>(node, "score") != nullptr;
    const auto* const count = find_param<std::int64_t>(node, "count");
    if (count != nullptr && counts) json_.member("count", *count);
    if (path.winner) write_winner(path);
    write_values(path, node);
  }

  void write_winner(const ExplainedPath& path) {
    const rows::RowSet& kept = *path.winner_rows;
    json_.key("kept_instead");
    write_id(json_, kept.batch()->ids()[kept.row_at(*path.winner)], ids_as_strings_);
  }

  void write_drop(const ExplainedPath& path, const plan::CompiledNode& node) {
    json_.member("by", name_of(path.reason));
    write_node(node);
    for (const plan::ParamValue& value : node.params) {
      const auto* const expr = std::get_if<expr::CompiledExprRef>(&value);
      if (expr == nullptr || path.reason == DropReason::kFallback) continue;
      json_.member(path.reason == DropReason::kPredicate ? "predicate" : "expr", (*expr)->text());
      break;
    }
    if (path.reason == DropReason::kMatch || path.reason == DropReason::kNoMatch) write_join(node);
    write_values(path, node);
  }

  // Which rows a join compared with.
  void write_join(const plan::CompiledNode& node) {
    if (const auto* const kind = find_param<std::string>(node, "kind")) json_.member("kind", *kind);
    if (const auto* const rhs = std::get_if<plan::NodeInput>(&node.inputs.back()))
      json_.member("rhs", plan_.nodes[rhs->node].id);
  }

  void write_use(const ExplainedPath& path, const plan::CompiledNode& node) {
    write_node(node);
    if (path.verdict != Verdict::kUsed) return;
    json_.member("as", path.role == InputRole::kParents ? "parent" : "lookup");
    if (path.role == InputRole::kParents) json_.member("rows", path.made_rows);
  }

  void write_fields(const ExplainedPath& path) {
    json_.key("fields");
    json_.begin_object();
    // A batch may be shared with nodes whose rows have more columns.
    const std::vector<std::string>& columns = plan_.nodes[path.via.back()].columns;
    for (const rows::NamedColumn& entry : path.rows->batch()->columns()) {
      if (entry.name == rows::kIdColumn || std::ranges::find(columns, entry.name) == columns.end())
        continue;
      json_.key(entry.name);
      write_value(json_, entry.column->value_at(path.rows->row_at(path.position)));
    }
    json_.end_object();
  }

  // Writes the values of the row that the node's params read, each name once.
  void write_values(const ExplainedPath& path, const plan::CompiledNode& node) {
    std::vector<std::string> written;
    const auto add = [&](std::string name, const rows::Value& value) {
      if (std::ranges::find(written, name) != written.end()) return;
      json_.key(name);
      write_value(json_, value);
      written.push_back(std::move(name));
    };
    const auto add_key = [&](const std::string& key) { add(key, cell(path, key)); };
    json_.key("values");
    json_.begin_object();
    for (std::size_t index = 0; index < node.params.size(); ++index) {
      const plan::ParamValue& param = node.params[index];
      const plan::ParamType type = node.task->params[index].type;
      if (const auto* const expr = std::get_if<expr::CompiledExprRef>(&param)) {
        for (const expr::NameUse& use : (*expr)->names()) {
          if (use.source == expr::NameSource::kKey) {
            add_key(use.name);
          } else {
            add(outer_name(use), outer_value(use));
          }
        }
      } else if (type == plan::ParamType::kKey && std::holds_alternative<std::string>(param)) {
        add_key(std::get<std::string>(param));
      } else if (type == plan::ParamType::kKeyList) {
        if (const auto* const keys = std::get_if<std::vector<std::string>>(&param))
          std::ranges::for_each(*keys, add_key);
      } else if (const auto* const order = std::get_if<std::vector<plan::OrderKey>>(&param)) {
        for (const plan::OrderKey& key : *order) add_key(key.key);
      }
    }
    json_.end_object();
  }

  [[nodiscard]] static rows::Value cell(const ExplainedPath& path, std::string_view key) {
    const rows::Column* const column = path.rows->batch()->find_column(key);
    return column != nullptr ? column->value_at(path.rows->row_at(path.position)) : rows::Value();
  }

  [[nodiscard]] static std::string outer_name(const expr::NameUse& use) {
    switch (use.source) {
      case expr::NameSource::kParam:
        return "$" + use.name;
      case expr::NameSource::kRequest:
        return "$req." + use.name;
      case expr::NameSource::kViewer:
        return "viewer." + use.name;
      case expr::NameSource::kKey:
        break;
    }
    return use.name;
  }

  [[nodiscard]] rows::Value outer_value(const expr::NameUse& use) const {
    const auto at = [&](std::span<const rows::Value> values) {
      return use.info.index < values.size() ? values[use.info.index] : rows::Value();
    };
    if (use.source == expr::NameSource::kParam) return at(source_.params);
    if (use.source == expr::NameSource::kRequest) return at(source_.request_fields);
    return at(viewer_);
  }

  JsonWriter& json_;
  const ExplainSource& source_;
  const plan::CompiledPlan& plan_;
  const bool ids_as_strings_;
  const std::vector<rows::Value> viewer_;
  const ExplainAbsence absence_;
  const ExplainSentences sentences_;
};

}  // namespace

void write_explanation(JsonWriter& json,
                       const ExplainSource& source,
                       std::span<const ExplainedId> explained,
                       bool ids_as_strings) {
  ExplanationWriter writer(json, source, ids_as_strings);
  json.begin_array();
  for (const ExplainedId& one : explained) writer.write(one);
  json.end_array();
}

}  // namespace millrace::rank
