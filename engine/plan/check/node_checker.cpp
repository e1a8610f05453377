#include "plan/check/node_checker.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/problems/message_text.h"
#include "base/result.h"
#include "base/text_place.h"
#include "expr/compiled_expr.h"
#include "expr/syntax/function_table.h"
#include "expr/syntax/tree.h"
#include "plan/check/key_names.h"
#include "plan/key_pattern.h"
#include "plan/membership.h"
#include "plan/problem.h"
#include "rows/column.h"

namespace millrace::plan {

namespace {

bool is_name_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_';
}

/// Says whether a node of an expression takes care of nulls below it: `coalesce`, `is null`, and
/// comparisons, which are false then.
bool is_never_null(const expr::Node& node) {
  using enum expr::Op;
  switch (node.op) {
    case kEqual:
    case kNotEqual:
    case kLess:
    case kLessEqual:
    case kGreater:
    case kGreaterEqual:
    case kIn:
    case kMatch:
    case kIsNull:
      return true;
    case kCall:
      return node.function == expr::Function::kCoalesce;
    default:
      return false;
  }
}

/// Says whether an expression reads this name as a key or as a field of the viewer. Needed because
/// the type checker also looks up names that the expression does not have, to find suggestions.
bool reads_key(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const std::string_view before = text.substr(0, at);
    const std::string_view after = text.substr(at + name.size());
    const bool is_whole = (before.empty() || !is_name_letter(before.back())) &&
                          (after.empty() || !is_name_letter(after.front()));
    const bool is_other = before.ends_with('$') || before.ends_with("$req.");
    if (is_whole && !is_other) return true;
  }
  return false;
}

}  // namespace

NodeChecker::NodeChecker(Draft& draft,
                         std::uint32_t index,
                         std::vector<const NodeColumns*> inputs,
                         const ColumnsByNode& columns,
                         const CheckSetting& setting)
    : node_(draft.plan.nodes[index]),
      places_(draft.places[index]),
      where_(draft.where[index]),
      analysis_(setting.analysis),
      context_(setting.context),
      inputs_(std::move(inputs)),
      history_(draft.plan, columns) {
  if (node_.inputs.empty()) {
    available_ = analysis_.none();
  } else if (inputs_.front() != nullptr) {
    available_ = inputs_.front()->present | inputs_.front()->offered;
  }
}

void NodeChecker::check(ExternalNames& externals) {
  check_task_keys();
  for (std::size_t i = 0; i < node_.params.size(); ++i) {
    const ParamType type = node_.task->params[i].type;
    if (type == ParamType::kExpr || type == ParamType::kPredicate) {
      compile_expr(i, externals);
    } else {
      check_param(i, externals);
    }
    check_written_once(i);
  }
  check_endpoints();
}

/// Gives the keys that a param names as new columns of the node.
std::vector<std::string_view> NodeChecker::written_by(std::size_t param) const {
  const ParamValue& value = node_.params[param];
  std::vector<std::string_view> names;
  if (node_.task->params[param].type == ParamType::kOutKey) {
    if (const auto* name = std::get_if<std::string>(&value)) names.emplace_back(*name);
  } else if (node_.task->columns == OutputColumns::kFanOut) {
    if (const auto* moves = std::get_if<std::vector<KeyMove>>(&value)) {
      for (const KeyMove& move : *moves) names.emplace_back(move.to);
    }
  }
  return names;
}

void NodeChecker::check_written_once(std::size_t param) {
  for (const std::string_view name : written_by(param)) {
    for (std::size_t before = 0; before < param; ++before) {
      const std::vector<std::string_view> written = written_by(before);
      if (std::ranges::find(written, name) == written.end()) continue;
      context_.reporter.add(ProblemCode::kKeyClash,
                            places_[param],
                            base::format("Both `{}` and `{}` write the key: {}",
                                         node_.task->params[before].name,
                                         node_.task->params[param].name,
                                         name),
                            "write one of them to another key");
    }
  }
}

void NodeChecker::check_task_keys() {
  for (const std::string& key : node_.task->reads) check_available(key, where_);
  for (const std::string& key : node_.task->writes) (void)check_key(key, where_, context_);
}

std::size_t NodeChecker::input_of(const ParamSpec& spec) const {
  if (spec.read_from.empty()) return 0;
  const auto* input = std::get_if<InputIndex>(&node_.param(spec.read_from));
  return input != nullptr ? input->index : node_.inputs.size();
}

void NodeChecker::check_param(std::size_t param, ExternalNames& externals) {
  const ParamSpec& spec = node_.task->params[param];
  const ParamValue& value = node_.params[param];
  const base::ValuePlace& where = places_[param];
  if (const auto* order = std::get_if<std::vector<OrderKey>>(&value)) {
    for (const OrderKey& key : *order) {
      check_available(key.key, where);
      warn_if_partial(key.key, where);
    }
  } else if (const auto* moves = std::get_if<std::vector<KeyMove>>(&value)) {
    for (const KeyMove& move : *moves) check_available(move.from, where, input_of(spec));
  } else if (spec.type == ParamType::kKey && std::holds_alternative<std::string>(value)) {
    check_available(std::get<std::string>(value), where);
    if (node_.task->rows == OutputRows::kReorder) {
      warn_if_partial(std::get<std::string>(value), where);
    }
  } else if (spec.type == ParamType::kKeyList) {
    const auto* names = std::get_if<std::vector<std::string>>(&value);
    if (names == nullptr) return;
    if (spec.name == node_.task->keys_param) return check_fetched(*names, where);
    for (const std::string& name : *names) check_available(name, where, input_of(spec));
  } else if (spec.type == ParamType::kKeyPattern && std::holds_alternative<std::string>(value)) {
    check_pattern(std::get<std::string>(value), where, externals);
  }
}

/// Checks keys that the task is told to fetch.
void NodeChecker::check_fetched(const std::vector<std::string>& keys,
                                const base::ValuePlace& where) {
  const std::optional<std::string_view> prefix = hash_prefix(node_);
  for (const std::string& name : keys) {
    const FieldInfo* key = context_.registry.find_key(name);
    if (key == nullptr) continue;
    warn_of_deprecated("key", *key, where);
    if (!prefix || belongs_to(*key, *prefix)) continue;
    std::string owners;
    for (const std::string& owner : key->of) owners += (owners.empty() ? "" : ", ") + owner;
    context_.reporter.add(ProblemCode::kKeyNotAvailable,
                          where,
                          base::format("Hashes '{}:…' do not have the key: {}", *prefix, name),
                          base::format("keys.toml says that it is of {}", owners));
  }
}

void NodeChecker::check_pattern(const std::string& text,
                                const base::ValuePlace& where,
                                ExternalNames& externals) {
  const base::Result<KeyPattern> pattern = parse_key_pattern(text);
  if (!pattern) return;
  for (const KeyPattern::Place& place : pattern->places) {
    check_pattern_name(place.name, where, externals);
  }
}

void NodeChecker::check_pattern_name(std::string_view name,
                                     const base::ValuePlace& where,
                                     ExternalNames& externals) {
  std::optional<rows::ColumnType> type;
  if (!node_.inputs.empty()) {
    const FieldInfo* key = check_key(name, where, context_);
    if (key == nullptr) return;
    check_available(name, where);
    type = key->type;
  } else if (is_built_in_key(name)) {
    return check_available(name, where);
  } else {
    type = find_request_field(context_.registry, name);
    // Numbers the field, so that requests are read for it.
    const PlanScope scope(context_.registry, nullptr, externals);
    if (type) (void)scope.find_name(expr::NameSource::kRequest, name);
  }
  if (!type) {
    context_.reporter.add(
        ProblemCode::kUnknownRequestField,
        where,
        "Unknown field of the request: " + base::shortened(name),
        [&] { return base::suggestion(name, request_field_names(context_.registry)); });
  } else if (*type != rows::ColumnType::kInt64 && *type != rows::ColumnType::kString) {
    context_.reporter.add(ProblemCode::kWrongKeyType,
                          where,
                          base::format("A store key is made of an int or a string, and {} is {}",
                                       name,
                                       rows::to_string(*type)));
  }
}

void NodeChecker::check_available(std::string_view key,
                                  const base::ValuePlace& where,
                                  std::size_t input) {
  const FieldInfo* info = context_.registry.find_key(key);
  if (info == nullptr) return;
  if (node_.inputs.empty()) {
    context_.reporter.add(ProblemCode::kKeyNotAvailable,
                          where,
                          base::format("The node has no input to read a key from: {}", key));
    return;
  }
  if (input >= inputs_.size() || inputs_[input] == nullptr) return;
  warn_of_deprecated("key", *info, where);
  if (!inputs_[input]->has(analysis_.index_of(key))) report_missing(*info, where, input);
}

void NodeChecker::report_missing(const FieldInfo& key,
                                 const base::ValuePlace& where,
                                 std::size_t input) {
  if (context_.reporter.full()) {  // The explanation is costly and would not be shown.
    return context_.reporter.add(ProblemCode::kKeyNotAvailable, where, "Missing key: " + key.name);
  }
  KeyHistory::Explanation why =
      history_.explain_missing(node_.inputs[input], key, analysis_.index_of(key.name));
  context_.reporter.add(
      ProblemCode::kKeyNotAvailable, where, std::move(why.message), std::move(why.hint));
}

void NodeChecker::warn_if_partial(std::string_view key, const base::ValuePlace& where) {
  const FieldInfo* info = context_.registry.find_key(key);
  if (info == nullptr || inputs_.empty() || inputs_.front() == nullptr) return;
  if (!inputs_.front()->partial.contains(analysis_.index_of(key))) return;
  context_.reporter.warn(
      ProblemCode::kKeyMissingInSome,
      where,
      base::format(
          "Only some inputs of a `concat` before this node have the key; it is null in the "
          "other rows: {}",
          key),
      base::format("write it in all of them, or use coalesce({}, …)", key));
}

void NodeChecker::warn_of_partial_keys(const expr::Tree& tree, const base::ValuePlace& where) {
  if (inputs_.empty() || inputs_.front() == nullptr || inputs_.front()->partial.empty()) return;
  // Children stand before their parents, so a walk from the end meets parents first.
  std::vector<bool> handles_null(tree.nodes().size());
  std::vector<std::string_view> told;
  for (std::size_t i = tree.nodes().size(); i-- > 0;) {
    const expr::Node& node = tree.nodes()[i];
    if (node.op == expr::Op::kKey && !handles_null[i]) {
      const std::string_view name = tree.text(node.text_index);
      if (!contains(told, name)) warn_if_partial(name, where);
      told.push_back(name);
    }
    for (const expr::NodeIndex child : tree.children(node)) {
      handles_null[child] = handles_null[i] || is_never_null(node);
    }
  }
}

template <class Info>
void NodeChecker::warn_of_deprecated(std::string_view kind,
                                     const Info& info,
                                     const base::ValuePlace& where) {
  if (info.lifecycle != Lifecycle::kDeprecated) return;
  context_.reporter.warn(
      ProblemCode::kDeprecatedName,
      where,
      base::format("The {} is deprecated: {}", kind, info.name),
      info.replaced_by.empty() ? "" : base::format("use '{}' instead", info.replaced_by));
}

void NodeChecker::check_endpoints() {
  for (std::size_t i = 0; i < node_.params.size(); ++i) {
    if (const auto* id = std::get_if<EndpointId>(&node_.params[i])) {
      const EndpointInfo& endpoint = context_.registry.endpoint(*id);
      warn_of_deprecated("endpoint", endpoint, places_[i]);
      if (endpoint.kind == EndpointKind::kGraph) check_tables(endpoint);
    }
  }
}

void NodeChecker::check_tables(const EndpointInfo& endpoint) {
  for (std::size_t i = 0; i < node_.params.size(); ++i) {
    const ParamSpec& spec = node_.task->params[i];
    const bool is_prefix = spec.name == "prefix";
    const auto* const text = std::get_if<std::string>(&node_.params[i]);
    if (text == nullptr || (spec.type != ParamType::kKeyPattern && !is_prefix)) continue;
    const std::size_t end = text->find_first_of(":{");
    const bool has_table = is_prefix || (end != std::string::npos && (*text)[end] == ':');
    const std::string table = text->substr(0, end);
    if (has_table && contains(endpoint.tables, table)) continue;
    context_.reporter.add(
        ProblemCode::kBadValue,
        places_[i],
        has_table ? base::format("The graph endpoint '{}' has no table '{}'",
                                 endpoint.name,
                                 base::shortened(table))
                  : base::format("A key of the graph endpoint '{}' is TABLE:KEY, not {}",
                                 endpoint.name,
                                 base::shortened(*text)),
        [&] {
          const std::vector<std::string_view> known(endpoint.tables.begin(), endpoint.tables.end());
          return base::suggestion(table, known);
        });
  }
}

/// Gives the key that the node's expression is written to, if the node has exactly one param of
/// type kOutKey.
const FieldInfo* NodeChecker::out_key() const {
  const FieldInfo* found = nullptr;
  for (std::size_t i = 0; i < node_.params.size(); ++i) {
    if (node_.task->params[i].type != ParamType::kOutKey) continue;
    const auto* name = std::get_if<std::string>(&node_.params[i]);
    if (name == nullptr || found != nullptr) return nullptr;
    found = context_.registry.find_key(*name);
  }
  return found;
}

void NodeChecker::compile_expr(std::size_t param, ExternalNames& externals) {
  const auto* given = std::get_if<std::string>(&node_.params[param]);
  if (given == nullptr) return;
  const std::string text = *given;
  const bool is_predicate = node_.task->params[param].type == ParamType::kPredicate;
  const FieldInfo* target = is_predicate ? nullptr : out_key();
  PlanScope scope(context_.registry, available_ ? &*available_ : nullptr, externals);
  if (context_.reporter.full()) scope.suggest_no_names();
  std::vector<expr::Diagnostic> diagnostics;
  expr::CompileOptions options{.diagnostics = &diagnostics};
  if (target != nullptr) options.result = target->type;
  base::Result<expr::CompiledExprRef> compiled = is_predicate
                                                     ? expr::compile_predicate(text, scope, options)
                                                     : expr::compile(text, scope, options);
  for (const expr::Diagnostic& diagnostic : diagnostics) {
    report_diagnostic(diagnostic, text, places_[param], scope.problems());
  }
  report_names(scope.problems(), text, places_[param]);
  if (!compiled) {
    node_.params[param] = std::monostate();
    return;
  }
  for (const expr::NameUse& use : (*compiled)->names()) {
    reads_viewer_ = reads_viewer_ || use.source == expr::NameSource::kViewer;
    const bool is_param = use.source == expr::NameSource::kParam;
    const FieldInfo* info = is_param ? context_.registry.find_param(use.name)
                            : use.source == expr::NameSource::kRequest
                                ? nullptr
                                : context_.registry.find_key(use.name);
    if (info != nullptr) warn_of_deprecated(is_param ? "param" : "key", *info, places_[param]);
  }
  if (!is_predicate) warn_of_partial_keys((*compiled)->tree(), places_[param]);
  if (target != nullptr && !target->nullable && (*compiled)->nullable()) {
    context_.reporter.add(ProblemCode::kNullIntoKey,
                          places_[param],
                          "The expression may be null, the key may not: " + target->name,
                          "wrap it in coalesce(…, value)");
  }
  node_.params[param] = *std::move(compiled);
}

void NodeChecker::report_diagnostic(const expr::Diagnostic& diagnostic,
                                    const std::string& text,
                                    const base::ValuePlace& where,
                                    const std::vector<NameProblem>& names) {
  const base::TextPlace place = base::locate(text, diagnostic.span.offset);
  const std::string message =
      base::format("{} (at {} of the expression)", diagnostic.message, base::to_string(place));
  if (diagnostic.severity == expr::Severity::kWarning) {
    context_.reporter.warn(ProblemCode::kExpressionWarning, where, message, diagnostic.hint);
    return;
  }
  // If the diagnostic points at a name that was not found, report that instead.
  const std::string_view token = std::string_view(text).substr(
      std::min<std::size_t>(diagnostic.span.offset, text.size()), diagnostic.span.length);
  const ProblemCode unknown = token.starts_with("$req.") ? ProblemCode::kUnknownRequestField
                              : token.starts_with("$")   ? ProblemCode::kUnknownName
                                                         : ProblemCode::kUnknownKey;
  const bool is_unknown = std::ranges::any_of(names, [&](const NameProblem& name) {
    return name.code == unknown && token.ends_with(name.name);
  });
  const ProblemCode code = is_unknown ? unknown : ProblemCode::kBadExpression;
  base::ValuePlace exact = where;
  // If the JSON string has no escapes, the place in the expression is also one in the artifact.
  if (text.find_first_of("\"\\\n\t") == std::string::npos && where.offset != where_.offset) {
    exact.offset += 1 + diagnostic.span.offset;
  }
  context_.reporter.add(code, exact, message, diagnostic.hint);
}

void NodeChecker::report_names(const std::vector<NameProblem>& names,
                               const std::string& text,
                               const base::ValuePlace& where) {
  for (const NameProblem& name : names) {
    if (!reads_key(text, name.name)) continue;
    if (name.code == ProblemCode::kKeyNotAvailable) {
      check_available(name.name, where);
    } else if (name.code == ProblemCode::kBlockedKey) {
      context_.reporter.add(name.code, where, "The name is blocked: " + name.name);
    }
  }
}

}  // namespace millrace::plan
